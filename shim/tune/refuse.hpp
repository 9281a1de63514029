// What a run under the shim says against rules.
#pragma once

#include "rules.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// The rule for calls of that point; null: native.
const Ruling* ruling_over(const std::vector<Ruling>& rules, const Point& point);
std::string candidate_at(const std::vector<Ruling>& rules, const Point& point); // or `native`

// Adds to the refusals what must go by the figures of a run under these rules (`preloaded` beside native): of
// alltoall and allgather each size that is not faster, of alltoallv the rules that look at the block, and next
// time all rules, of a shape where they harm a size or gain nothing in all. The shapes that this concerns.
std::set<Shape> refuse(const std::vector<Point>& points, const std::vector<Ruling>& rules,
                       const std::map<Point, Measurement>& verified, Refusals& refusals);

} // namespace switchyard::shim::tune
