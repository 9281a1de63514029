// Times of which the middle and the tail are asked for.
#pragma once

#include <cstdint>
#include <vector>

namespace switchyard::shim::report {

// A value counts `weight` times: a line of a summary stands for many calls. Four bytes a value while all
// weigh 1.
class Samples {
  public:
    void add(double value, std::uint64_t weight = 1);
    void add(const Samples& others);

    bool empty() const { return values_.empty(); }
    std::size_t size() const { return values_.size(); }
    // The smallest value that at least this share (0 to 1) of all weight does not exceed; 0 of no samples.
    double quantile(double share) const;
    double median() const { return quantile(0.5); }

    // Median absolute deviation from the median.
    double deviation() const;

  private:
    std::vector<float> values_;
    std::vector<float> weights_; // empty: all 1
};

} // namespace switchyard::shim::report
