// The second step of a search: radices and borders (`direct_from`) together. All of them with each other
// would be too many, so the best settings of the first step are combined.
#pragma once

#include "measurements.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::tune {

// The settings without a border that save most of native's time over all measured sizes of the shape, one of
// each algorithm that takes a border, best first. A size where a setting is slower counts as native's time:
// there blocks can go directly. What the agreement takes does not count, since a border saves it. Settings
// that save nothing are left out.
std::vector<std::string> best_settings(const Shape& shape, const std::vector<Point>& points,
                                       const Measurements& measurements);

// combinations_of() the first `settings` of them. They are the same at all sizes of the shape, since one rule
// for all sizes must be measured at each.
std::vector<std::string> combinations_for(const Shape& shape, const std::vector<Point>& points,
                                          const Measurements& measurements, std::size_t settings);
// How many that can be, whatever is measured.
std::size_t most_combinations(const Shape& shape, const std::vector<Point>& points,
                              const Measurements& measurements, std::size_t settings);

} // namespace switchyard::shim::tune
