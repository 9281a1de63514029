// Medians and means of few, noisy times.
#pragma once

#include <vector>

namespace switchyard::bench {

// Both are 0 without values. The median of an even number of values is the mean of the middle two.
double median(std::vector<double> values);
double median_absolute_deviation(const std::vector<double>& values);
double mean(const std::vector<double>& values); // 0 without values

// The median of each iteration's own time / baseline: a disturbance of the iteration hits both.
double median_ratio(const std::vector<double>& times, const std::vector<double>& baseline);

// The mean time over the mean of the baseline, of as many calls as both have: what a program pays that makes
// these calls. 0 if the baseline took no time.
double ratio_of_means(const std::vector<double>& times, const std::vector<double>& baseline);

} // namespace switchyard::bench
