// An axis of a plot: from values to pixels, and round values for its labels.
#pragma once

#include <vector>

namespace switchyard::shim::report {

class Axis {
  public:
    static Axis linear(double from, double to, double first_pixel, double last_pixel);
    // From one power of ten to another, around `from` and `to`. Values of 0 and below count as the smallest.
    static Axis logarithmic(double from, double to, double first_pixel, double last_pixel);

    double pixel(double value) const;
    // Linear: about `wanted` round values. Logarithmic: powers of ten, no more than `wanted`.
    std::vector<double> ticks(int wanted) const;

  private:
    Axis(bool is_logarithmic, double from, double to, double first_pixel, double last_pixel)
        : logarithmic_(is_logarithmic), from_(from), to_(to), first_(first_pixel), last_(last_pixel) {}
    bool logarithmic_;
    double from_, to_; // logarithms where the axis is logarithmic
    double first_, last_;
};

} // namespace switchyard::shim::report
