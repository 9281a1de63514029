// The result as a table for people.
#pragma once

#include "rules.hpp"

#include <map>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// A line for each point, with the time of native and of the policy. The policy's time is its time under the
// shim or, if that was not measured, the candidate's own.
std::string table_of(const std::vector<Ruling>& rules, const std::vector<Point>& points,
                     const Measurements& measurements, const std::map<Point, Measurement>& verified);

} // namespace switchyard::shim::tune
