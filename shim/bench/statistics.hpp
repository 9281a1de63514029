// Medians of few, noisy times.
#pragma once

#include <vector>

namespace switchyard::bench {

// Both are 0 without values. The median of an even number of values is the mean of the middle two.
double median(std::vector<double> values);
double median_absolute_deviation(const std::vector<double>& values);

// The median of time / baseline, of each iteration by itself: a disturbance of the iteration hits both.
double median_ratio(const std::vector<double>& times, const std::vector<double>& baseline);

} // namespace switchyard::bench
