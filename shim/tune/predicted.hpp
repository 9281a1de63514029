// Candidates with predicted times in place of measured ones, for scales that nobody can run.
#pragma once

#include "measurements.hpp"
#include "rules.hpp"

#include "shim/predict/machine.hpp"

#include <vector>

namespace switchyard::shim::tune {

// A candidate counts only where its predicted time is below this part of native's: one in ten of the model's
// times is off by as much (tests/bench/RESULTS.md).
inline constexpr double most_predicted_ratio = 0.85;

// Predicts what halving asks for at these points. `measurements`: exact.
void predict_points(const predict::Machine& machine, const std::vector<Point>& points,
                    Measurements& measurements);

// The rules that follow from the predictions. A rule without bounds must
// also be no slower than native at larger blocks.
std::vector<Ruling> predicted_rules(const predict::Machine& machine, const std::vector<Point>& points,
                                    const Measurements& measurements);

} // namespace switchyard::shim::tune
