// Prints the time that a call needs to find out that this process can have no device memory: with a clock
// that the call has read anyway, as with a log, and with a clock of its own. One row each, in the columns of
// `overhead`.
#include "shim/back_end/device/devices.hpp"
#include "shim/entry/clock_ns.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

namespace {

constexpr int rounds = 401, checks = 10000;

double ns_now() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

template <typename Check>
double median_of(Check&& check) {
    static std::array<double, rounds> times;
    int found = 0;
    for (double& time : times) {
        const double start = ns_now();
        for (int i = 0; i < checks; ++i) {
            found += check(i) ? 1 : 0;
            asm volatile("" ::: "memory"); // the next check looks again
        }
        time = (ns_now() - start) / checks;
    }
    std::ranges::sort(times);
    return found > 0 ? -1 : times[rounds / 2];
}

void print(const char* label, double with, double without) {
    std::printf("%-34s %10.1f %10.1f %10.1f\n", label, with, without, with - without);
}

} // namespace

int main() {
    using switchyard::shim::device::Devices;
    static Devices devices;
    // A clock that advances 100 ns a call: in one call of ten thousand, a millisecond has passed.
    const double loop = median_of([](int i) { return i < 0; });
    print("no GPU library, clock read anyway",
          median_of([](int i) { return devices.are_here(static_cast<std::uint64_t>(i) * 100); }), loop);
    print("no GPU library, log off",
          median_of([](int) { return devices.are_here(switchyard::shim::coarse_ns()); }), loop);
    return 0;
}
