#include "clock.hpp"

#include <fstream>
#include <string>

namespace switchyard::shim {

Clock::State Clock::clock_;

namespace {

// The kernel has checked that this counter runs at one speed and alike on all cores.
[[maybe_unused]] bool kernel_keeps_time_by(const char* counter) {
    std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    std::string name;
    return std::getline(file, name) && name == counter;
}

} // namespace

#if defined(__x86_64__)

namespace {

struct Moment {
    std::uint64_t ns = 0, ticks = 0;
};
Moment beginning;

// Both clocks at one moment: the closest of a few tries, since an interrupt may come
// between the two readings.
template <typename KernelNs>
Moment moment(KernelNs kernel_ns) {
    Moment best;
    std::uint64_t closest = ~std::uint64_t{0};
    for (int i = 0; i < 5; ++i) {
        auto before = __rdtsc();
        auto ns = kernel_ns();
        auto after = __rdtsc();
        if (after - before >= closest) continue;
        closest = after - before;
        best = {ns, before + closest / 2};
    }
    return best;
}

} // namespace

void Clock::begin() {
    clock_ = {};
    beginning = moment(kernel_ns);
    clock_.zero = beginning.ns;
}

void Clock::start_run() {
    constexpr std::uint64_t enough = 2'000'000; // ns; two readings off by 20 ns each make 0.002 %
    // The kernel's clock may stand still: tools that replay a run, or set its date, hold it. Then this clock
    // stands still as well.
    constexpr std::uint64_t most_ticks = 100'000'000; // some 30 ms
    auto now = moment(kernel_ns);
    while (now.ns - beginning.ns < enough && now.ticks - beginning.ticks < most_ticks)
        now = moment(kernel_ns);
    clock_.zero = now.ns;
    if (now.ns - beginning.ns < enough || !kernel_keeps_time_by("tsc") || now.ticks <= beginning.ticks)
        return;
    auto ratio =
        static_cast<double>(now.ns - beginning.ns) / static_cast<double>(now.ticks - beginning.ticks);
    clock_ = {true, now.ticks, ratio};
}

#else

void Clock::begin() {
    clock_ = {};
    clock_.zero = kernel_ns();
}

void Clock::start_run() {
    clock_.zero = kernel_ns();
#if defined(__aarch64__)
    std::uint64_t frequency = 0; // in Hz; the firmware wrote it, and some did not
    asm("mrs %0, cntfrq_el0" : "=r"(frequency));
    if (frequency < 1'000'000 || !kernel_keeps_time_by("arch_sys_counter")) return;
    clock_ = {true, ticks(), 1e9 / static_cast<double>(frequency)};
#endif
}

#endif

} // namespace switchyard::shim
