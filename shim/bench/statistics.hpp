// Medians of few, noisy times.
#pragma once

#include <vector>

namespace switchyard::bench {

// Both are 0 where there are no values; of an even number the mean of the middle two.
double median(std::vector<double> values);
double median_absolute_deviation(const std::vector<double>& values);

// The median over the iterations of time / baseline, each with the baseline of the same iteration: what
// disturbs a whole iteration disturbs both.
double median_ratio(const std::vector<double>& times, const std::vector<double>& baseline);

} // namespace switchyard::bench
