// What to measure next on a simulated machine, where one evaluation is exact and costly.
#pragma once

#include "schedule.hpp"

#include <vector>

namespace switchyard::shim::tune {

// First all coarse_candidates_of(). Then, for the two best algorithms with a radix, radices between the best
// radix and its neighbours, until nothing lies between them. Then variations_of() the best candidate. When
// this is done at all sizes of a shape: combinations_for() it, until at its border the best radix lies
// between other radices. Empty: done.
std::vector<Work> next_evaluations(const std::vector<Point>& points, const Measurements& measurements);

} // namespace switchyard::shim::tune
