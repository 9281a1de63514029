// A sample of times, with its median and quantiles.
#pragma once

#include <cstdint>
#include <vector>

namespace switchyard::shim::report {

// A value counts `weight` times: a line of a summary stands for many calls. Each value takes four bytes while
// all weights are 1.
class Samples {
  public:
    void add(double value, std::uint64_t weight = 1);
    void add(const Samples& others);

    bool empty() const { return values_.empty(); }
    std::size_t size() const { return values_.size(); }
    // The smallest sample such that at least this share (0 to 1) of all weight is at or
    // below it. 0 without samples.
    double quantile(double share) const;
    double median() const { return quantile(0.5); }

    // Median absolute deviation from the median.
    double deviation() const;

  private:
    std::vector<float> values_;
    std::vector<float> weights_; // empty: all 1
};

} // namespace switchyard::shim::report
