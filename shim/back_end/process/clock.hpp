// The clock of the call path. Where the kernel itself keeps time by the processor's time stamp counter,
// reading the counter costs a third of asking the kernel; elsewhere the kernel is asked.
#pragma once

#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace switchyard::shim {

class Clock {
  public:
    // Nanoseconds since start_run(), or since begin() before that.
    static std::uint64_t now() {
#if defined(__x86_64__)
        if (clock_.counts) [[likely]]
            return static_cast<std::uint64_t>(
                static_cast<std::int64_t>( // conversions with a sign are one instruction
                    static_cast<double>(static_cast<std::int64_t>(__rdtsc() - clock_.zero)) *
                    clock_.ns_per_tick));
#endif
        return kernel_ns() - clock_.zero;
    }

    // begin() before MPI starts, start_run() when the run starts: the time between them calibrates the counter.
    static void begin();
    static void start_run();

  private:
    static std::uint64_t kernel_ns() {
        timespec time{};
        clock_gettime(CLOCK_MONOTONIC, &time);
        return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
               static_cast<std::uint64_t>(time.tv_nsec);
    }

    struct State {
        bool counts = false;    // the counter is the clock
        std::uint64_t zero = 0; // in ticks or in nanoseconds
        double ns_per_tick = 0;
    };
    static State clock_;
};

} // namespace switchyard::shim
