#include "noise.hpp"

#include "shim/bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace switchyard::shim::tune {

namespace {

constexpr double deviations_in_mad = 1.4826;   // of a normal distribution
constexpr double median_against_mean = 1.2533; // the median's standard error, same
constexpr double least_relative_spread = 0.1;  // few values can agree by chance
constexpr double worth_a_rule = 0.97, harm = 1.05;
constexpr double alike = 1.03; // how far native differs from itself
constexpr std::size_t first_calls = 32;
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

namespace {

double time_from_first(const std::vector<double>& times, std::size_t calls) {
    const auto end_of_first =
        times.begin() + static_cast<std::ptrdiff_t>(std::min({first_calls, times.size(), calls}));
    const double first = std::accumulate(times.begin(), end_of_first, 0.0);
    const auto later = static_cast<double>(calls - static_cast<std::size_t>(end_of_first - times.begin()));
    return first + later * bench::median(
                               end_of_first == times.end() ? times : std::vector(end_of_first, times.end()));
}

} // namespace

double ratio_from_first(const std::vector<double>& times, const std::vector<double>& native,
                        std::uint64_t calls) {
    const std::size_t measured = std::min(times.size(), native.size());
    if (measured == 0) return 0;
    const std::size_t number = calls == 0 ? measured : static_cast<std::size_t>(calls);
    const double all_of_native = time_from_first(native, number);
    return all_of_native > 0 ? time_from_first(times, number) / all_of_native : 0;
}

bool loses_from_first(double ratio) {
    return ratio > alike;
}

bool is_behind(const Estimate& estimate, const Estimate& best) {
    return estimate.ratio - 2 * estimate.error > best.ratio + 2 * best.error;
}

} // namespace switchyard::shim::tune
