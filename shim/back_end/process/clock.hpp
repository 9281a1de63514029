// The clock of the call path. Where the kernel itself keeps time by the processor's counter, reading the
// counter costs a third of asking the kernel (measured on x86-64); elsewhere the kernel is asked.
#pragma once

#include "shim/entry/clock_ns.hpp"

#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace switchyard::shim {

class Clock {
  public:
    // Nanoseconds since start_run(), or since begin() before that.
    static std::uint64_t now() {
        if (has_counter && clock_.counts) [[likely]]
            return static_cast<std::uint64_t>(
                static_cast<std::int64_t>( // conversions with a sign are one instruction
                    static_cast<double>(static_cast<std::int64_t>(ticks() - clock_.zero)) *
                    clock_.ns_per_tick));
        return kernel_ns() - clock_.zero;
    }

    // begin() before MPI starts, start_run() when the run starts: the time between them calibrates a counter
    // that does not say its frequency.
    static void begin();
    static void start_run();

  private:
#if defined(__x86_64__)
    static constexpr bool has_counter = true;
    static std::uint64_t ticks() {
        return __rdtsc();
    }
#elif defined(__aarch64__)
    static constexpr bool has_counter = true;
    static std::uint64_t ticks() {
        std::uint64_t value;
        asm volatile("mrs %0, cntvct_el0" : "=r"(value));
        return value;
    }
#else
    static constexpr bool has_counter = false;
    static std::uint64_t ticks() {
        return 0;
    }
#endif

    static std::uint64_t kernel_ns() {
        return clock_ns(CLOCK_MONOTONIC);
    }

    struct State {
        bool counts = false;    // the counter is the clock
        std::uint64_t zero = 0; // in ticks or in nanoseconds
        double ns_per_tick = 0;
    };
    static State clock_;
};

} // namespace switchyard::shim
