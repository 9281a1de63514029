// Times, sizes and counts of a log, which anybody may have changed: impossible numbers become possible ones.
#pragma once

#include <algorithm>

namespace switchyard::shim::report {

// More microseconds, bytes or calls than any run has. Sums over all calls and ranks stay finite.
inline constexpr double most_possible = 1e18;

// Negative numbers become 0, huge ones `most_possible`.
constexpr double possible(double number) {
    return std::clamp(number, 0.0, most_possible);
}

} // namespace switchyard::shim::report
