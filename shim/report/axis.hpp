// From values to pixels, and the round values that an axis is labelled with.
#pragma once

#include <vector>

namespace switchyard::shim::report {

class Axis {
  public:
    static Axis linear(double from, double to, double first_pixel, double last_pixel);
    // In whole powers of ten around what is given; values of 0 and below count as the smallest.
    static Axis logarithmic(double from, double to, double first_pixel, double last_pixel);

    double pixel(double value) const;
    // Linear: about `wanted` round values. Logarithmic: the powers of ten, thinned out to that many.
    std::vector<double> ticks(int wanted) const;

  private:
    Axis(bool is_logarithmic, double from, double to, double first_pixel, double last_pixel)
        : logarithmic_(is_logarithmic), from_(from), to_(to), first_(first_pixel), last_(last_pixel) {}
    bool logarithmic_;
    double from_, to_; // their logarithms
    double first_, last_;
};

} // namespace switchyard::shim::report
