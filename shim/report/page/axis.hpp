// An axis of a plot: from values to pixels, and round values for its labels.
#pragma once

#include <vector>

namespace switchyard::shim::report {

class Axis {
  public:
    Axis(double from, double to, double first_pixel, double last_pixel);

    double pixel(double value) const;
    // About `wanted` round values.
    std::vector<double> ticks(int wanted) const;

  private:
    double from_, to_;
    double first_, last_;
};

} // namespace switchyard::shim::report
