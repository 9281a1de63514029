// Conclusions from times that scatter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace switchyard::shim::tune {

// The ratio to native's time: the median of the iterations' own ratios, their median absolute deviation
// (spread), and the standard error of the median.
struct Estimate {
    double ratio = 1, spread = 0, error = 0;
    std::size_t iterations = 0;
};

// `exact`: times of a simulation, which have no noise.
Estimate estimate_of(const std::vector<double>& ratios, bool exact);

// False for fewer than five iterations, which may be an accident, unless they are exact.
bool says_something(const Estimate& estimate);

// By three errors, so beyond the noise, and by at least 3 %, since less is not worth a rule.
bool is_faster_than_native(const Estimate& estimate);
// By three errors, so beyond the noise, and by at least 5 %: native differs from itself by up to 3 % where
// ranks share cores.
bool is_slower_than_native(const Estimate& estimate);
// The time of `calls` calls of an application over native's time, from the times of iterations, the very
// first one included. 0: not known. The first calls, which pay for memory and schedules, count as measured.
// Each later call counts as the median of the later ones, so that a disturbance does not decide. `calls` = 0:
// as many calls as were measured.
double ratio_from_first(const std::vector<double>& times, const std::vector<double>& native,
                        std::uint64_t calls);
// By 3 %, since two runs of native differ by that.
bool loses_from_first(double ratio);

// By two errors of each, so beyond the noise of both.
bool is_behind(const Estimate& estimate, const Estimate& best);

} // namespace switchyard::shim::tune
