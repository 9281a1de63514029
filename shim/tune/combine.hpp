// The second step of a search: radices and borders (`direct_from`) together. All combinations would be too
// many, so only the best settings of the first step are combined.
#pragma once

#include "measurements.hpp"

#include <vector>

namespace switchyard::shim::tune {

// The settings without a border that save most of native's time over all measured sizes of the shape, one for
// each algorithm that takes a border, best first. A size where a setting is slower counts as native's time,
// since blocks can go directly there. The time of the agreement does not count, since a border saves it.
// Settings that save nothing are left out.
std::vector<Candidate> best_settings(const Shape& shape, const std::vector<Point>& points,
                                     const Measurements& measurements);

// combinations_of() the three best settings. All sizes of the shape get the same
// combinations, since a rule for all sizes must be measured at each size.
std::vector<Candidate> combinations_for(const Shape& shape, const std::vector<Point>& points,
                                        const Measurements& measurements);

} // namespace switchyard::shim::tune
