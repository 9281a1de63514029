// What came of it, for people.
#pragma once

#include "rules.hpp"

#include <map>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// By point: native's time and that of the policy, under the shim where that was measured, else the candidate's.
std::string table_of(const std::vector<Ruling>& rules, const std::vector<Point>& points,
                     const Measurements& measurements, const std::map<Point, Measurement>& verified);

} // namespace switchyard::shim::tune
