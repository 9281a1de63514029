#include "axis.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::shim::report {

namespace {

// Beyond it no sum of two ends is infinite.
constexpr double farthest = 1e300;

double finite(double end) {
    return std::isnan(end) ? 0 : std::clamp(end, -farthest, farthest);
}

// `first`, `first` + `step`, ... up to `last`: a number of ticks, since a step may be too small to change a place.
std::vector<double> ticks_between(double first, double last, double step) {
    std::vector<double> ticks;
    const auto count = static_cast<int>(std::clamp((last - first) / step + 1, 0.0, 100.0));
    for (int i = 0; i < count; ++i) ticks.push_back(first + i * step);
    return ticks;
}

} // namespace

Axis Axis::linear(double from, double to, double first_pixel, double last_pixel) {
    const double first = finite(from), last = finite(to);
    return {false, first, last > first ? last : first + std::max(1.0, 1e-9 * std::abs(first)), first_pixel,
            last_pixel};
}

Axis Axis::logarithmic(double from, double to, double first_pixel, double last_pixel) {
    const double smallest =
        from > 0 ? std::floor(std::log10(finite(from))) : -3; // a nanosecond: clocks tell no less
    const double largest = to > 0 ? std::ceil(std::log10(finite(to))) : smallest;
    return {true, smallest, std::max(largest, smallest + 1), first_pixel, last_pixel};
}

double Axis::pixel(double value) const {
    const double place = !logarithmic_ ? value : value > 0 ? std::log10(value) : from_;
    return first_ + (std::clamp(place, from_, to_) - from_) / (to_ - from_) * (last_ - first_);
}

std::vector<double> Axis::ticks(int wanted) const {
    if (logarithmic_) {
        auto ticks = ticks_between(from_, to_, std::max(1.0, std::ceil((to_ - from_) / wanted)));
        for (double& tick : ticks) tick = std::pow(10, tick);
        return ticks;
    }
    const double rough = (to_ - from_) / wanted, ten = std::pow(10, std::floor(std::log10(rough)));
    const double step = rough / ten <= 1   ? ten
                        : rough / ten <= 2 ? 2 * ten
                        : rough / ten <= 5 ? 5 * ten
                                           : 10 * ten;
    return ticks_between(std::ceil(from_ / step) * step, to_ + 1e-9 * step, step);
}

} // namespace switchyard::shim::report
