#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace switchyard::bench {

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double median_absolute_deviation(const std::vector<double>& values) {
    const double center = median(values);
    std::vector<double> distances;
    for (const double value : values) distances.push_back(std::abs(value - center));
    return median(std::move(distances));
}

double mean(const std::vector<double>& values) {
    if (values.empty()) return 0;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_ratio(const std::vector<double>& times, const std::vector<double>& baseline) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(times.size(), baseline.size()); ++i)
        if (baseline[i] > 0) ratios.push_back(times[i] / baseline[i]);
    return median(std::move(ratios));
}

double ratio_of_means(const std::vector<double>& times, const std::vector<double>& baseline) {
    const auto both = static_cast<std::ptrdiff_t>(std::min(times.size(), baseline.size()));
    const double native = std::accumulate(baseline.begin(), baseline.begin() + both, 0.0);
    return native > 0 ? std::accumulate(times.begin(), times.begin() + both, 0.0) / native : 0;
}

} // namespace switchyard::bench
