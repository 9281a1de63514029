#include "noise.hpp"

#include "shim/bench/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::shim::tune {

namespace {

constexpr double deviations_in_mad = 1.4826;   // of a normal distribution
constexpr double median_against_mean = 1.2533; // the median's standard error, same
constexpr double least_relative_spread = 0.1;  // few values can agree by chance
constexpr double worth_a_rule = 0.97, harm = 1.05;
constexpr std::size_t least_iterations = 5; // fewer are an accident, unless they are exact

} // namespace

bool says_something(const Estimate& estimate) {
    return estimate.iterations >= least_iterations || (estimate.iterations > 0 && estimate.error == 0);
}

Estimate estimate_of(const std::vector<double>& ratios, bool exact) {
    Estimate estimate;
    if (ratios.empty()) return estimate;
    estimate.iterations = ratios.size();
    estimate.ratio = bench::median(ratios);
    estimate.spread = bench::median_absolute_deviation(ratios);
    if (exact) return estimate;
    const double deviation =
        std::max(deviations_in_mad * estimate.spread, least_relative_spread * estimate.ratio);
    estimate.error = median_against_mean * deviation / std::sqrt(static_cast<double>(ratios.size()));
    return estimate;
}

bool is_faster_than_native(const Estimate& estimate) {
    return says_something(estimate) && estimate.ratio + 3 * estimate.error < 1 &&
           estimate.ratio <= worth_a_rule;
}

bool is_slower_than_native(const Estimate& estimate) {
    return says_something(estimate) && estimate.ratio - 3 * estimate.error > 1 && estimate.ratio >= harm;
}

bool is_behind(const Estimate& estimate, const Estimate& best) {
    return estimate.ratio - 2 * estimate.error > best.ratio + 2 * best.error;
}

} // namespace switchyard::shim::tune
