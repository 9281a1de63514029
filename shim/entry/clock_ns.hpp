// The system's clocks in nanoseconds.
#pragma once

#include <cstdint>
#include <ctime>

namespace switchyard::shim {

inline std::uint64_t clock_ns(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_nsec);
}

// Takes a few instructions, and is exact to some milliseconds.
inline std::uint64_t coarse_ns() {
    return clock_ns(CLOCK_MONOTONIC_COARSE);
}

} // namespace switchyard::shim
