// Candidates with predicted times in place of measured ones, for ranks that nobody has.
#pragma once

#include "measurements.hpp"
#include "rules.hpp"

#include "shim/predict/machine.hpp"

#include <vector>

namespace switchyard::shim::tune {

// A candidate counts only where its predicted time is below this part of native's: the model errs by as much
// at one time of ten (tests/bench/RESULTS.md).
inline constexpr double most_predicted_ratio = 0.85;

// Predicts all candidates at these points, then the combinations of the best ones with borders. Adds what is
// faster than native.
void predict_points(const predict::Machine& machine, const std::vector<Point>& points,
                    Measurements& measurements);

// The rules that follow. A rule without bounds also has to be faster than native at larger blocks.
std::vector<Ruling> predicted_rules(const predict::Machine& machine, const std::vector<Point>& points,
                                    const Measurements& measurements);

} // namespace switchyard::shim::tune
