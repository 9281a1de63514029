// What to evaluate next where one evaluation is exact and costly: on a simulated machine.
#pragma once

#include "schedule.hpp"

#include <vector>

namespace switchyard::shim::tune {

// First coarse_candidates_of() each once; then radices between the neighbours of the best one, of the two best
// algorithms that have any, until those are next to it. Empty: done.
std::vector<Work> next_evaluations(const std::vector<Point>& points, const Measurements& measurements);

} // namespace switchyard::shim::tune
