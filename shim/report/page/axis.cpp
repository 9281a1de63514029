#include "axis.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::shim::report {

namespace {

// Ends are clamped to it, so no sum of two ends is infinite.
constexpr double farthest = 1e300;

double finite(double end) {
    return std::isnan(end) ? 0 : std::clamp(end, -farthest, farthest);
}

// `first`, `first` + `step`, ... up to `last`. It counts the ticks, since a step may be too
// small to change a place.
std::vector<double> ticks_between(double first, double last, double step) {
    std::vector<double> ticks;
    const auto count = static_cast<int>(std::clamp((last - first) / step + 1, 0.0, 100.0));
    for (int i = 0; i < count; ++i) ticks.push_back(first + i * step);
    return ticks;
}

} // namespace

Axis::Axis(double from, double to, double first_pixel, double last_pixel)
    : from_(finite(from)), to_(finite(to)), first_(first_pixel), last_(last_pixel) {
    if (to_ <= from_) to_ = from_ + std::max(1.0, 1e-9 * std::abs(from_));
}

double Axis::pixel(double value) const {
    return first_ + (std::clamp(value, from_, to_) - from_) / (to_ - from_) * (last_ - first_);
}

std::vector<double> Axis::ticks(int wanted) const {
    const double rough = (to_ - from_) / wanted, ten = std::pow(10, std::floor(std::log10(rough)));
    const double step = rough / ten <= 1   ? ten
                        : rough / ten <= 2 ? 2 * ten
                        : rough / ten <= 5 ? 5 * ten
                                           : 10 * ten;
    return ticks_between(std::ceil(from_ / step) * step, to_ + 1e-9 * step, step);
}

} // namespace switchyard::shim::report
