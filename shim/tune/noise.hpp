// What can be said of an algorithm from times that scatter.
#pragma once

#include <cstddef>
#include <vector>

namespace switchyard::shim::tune {

// A ratio to native's time: the median over the iterations of each one's own ratio, the median absolute
// deviation of those, and how uncertain their median is (as a standard error).
struct Estimate {
    double ratio = 1, spread = 0, error = 0;
    std::size_t iterations = 0;
};

// `exact`: the times of a simulation, which repeat themselves.
Estimate estimate_of(const std::vector<double>& ratios, bool exact);

// Fewer than five iterations are an accident, unless they are exact.
bool says_something(const Estimate& estimate);

// Beyond the noise: by three errors, and faster by 3 % at least, since less is not worth a rule.
bool is_faster_than_native(const Estimate& estimate);
// Beyond the noise: by three errors, and by 5 % at least: native beside itself differs by up to 3 %
// where ranks are more than cores.
bool is_slower_than_native(const Estimate& estimate);
// Beyond the noise of both, by two errors each.
bool is_behind(const Estimate& estimate, const Estimate& best);

} // namespace switchyard::shim::tune
