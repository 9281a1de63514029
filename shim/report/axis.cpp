#include "axis.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::shim::report {

Axis Axis::linear(double from, double to, double first_pixel, double last_pixel) {
    return {false, from, to > from ? to : from + 1, first_pixel, last_pixel};
}

Axis Axis::logarithmic(double from, double to, double first_pixel, double last_pixel) {
    const double smallest = from > 0 ? std::floor(std::log10(from)) : -3; // a nanosecond: clocks tell no less
    const double largest = to > 0 ? std::ceil(std::log10(to)) : smallest;
    return {true, smallest, std::max(largest, smallest + 1), first_pixel, last_pixel};
}

double Axis::pixel(double value) const {
    const double place = !logarithmic_ ? value : value > 0 ? std::log10(value) : from_;
    return first_ + (std::clamp(place, from_, to_) - from_) / (to_ - from_) * (last_ - first_);
}

std::vector<double> Axis::ticks(int wanted) const {
    std::vector<double> ticks;
    if (logarithmic_) {
        const double step = std::max(1.0, std::ceil((to_ - from_) / wanted));
        for (double place = from_; place <= to_; place += step) ticks.push_back(std::pow(10, place));
        return ticks;
    }
    const double rough = (to_ - from_) / wanted, ten = std::pow(10, std::floor(std::log10(rough)));
    const double step = rough / ten <= 1   ? ten
                        : rough / ten <= 2 ? 2 * ten
                        : rough / ten <= 5 ? 5 * ten
                                           : 10 * ten;
    for (double place = std::ceil(from_ / step) * step; place <= to_ * (1 + 1e-12); place += step)
        ticks.push_back(place);
    return ticks;
}

} // namespace switchyard::shim::report
