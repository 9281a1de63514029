// Whether other programs have the cores of a node where several ranks share each core. Some rank has something to do at almost
// every moment, so the ranks together use up the cores. If they do not, somebody else does.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace switchyard::algorithms {

class NodeLoad {
  public:
    // `cores`: that the ranks of the node share.
    explicit NodeLoad(int cores) : cores_(cores) {}

    // How long the processors have worked for this process, in nanoseconds.
    static std::uint64_t own_time() {
        timespec time{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
               static_cast<std::uint64_t>(time.tv_nsec);
    }

    // `times`: of all ranks together, at about `now`.
    void hear(std::uint64_t times, std::chrono::steady_clock::time_point now) {
        const std::chrono::nanoseconds passed = now - when_;
        if (passed < shortest) return;
        if (times_ > 0)
            judge(static_cast<double>(times - times_) / cores_ / static_cast<double>(passed.count()));
        times_ = times;
        when_ = now;
    }

    void assume_others() { // for tests
        looks_left_ = 1;
        when_ = std::chrono::steady_clock::time_point::max();
    }
    bool others_have_cores() const { return looks_left_ > 0; }

  private:
    static constexpr std::chrono::milliseconds shortest{20};
    // Of the cores' time. Measured on 2 cores: 8 ranks at rest have 0.86 and more, 0.15 to 0.75 beside two other programs.
    static constexpr double least_part = 0.8;

    // A look by chance at a moment when the others rest costs more than a few exchanges by messages too many.
    static constexpr int looks_at_rest = 4;

    void judge(double part) {
        looks_left_ = part < least_part ? looks_at_rest : std::max(looks_left_ - 1, 0);
    }

    int cores_;
    std::uint64_t times_ = 0;
    std::chrono::steady_clock::time_point when_;
    int looks_left_ = 0; // until the cores count as free
};

} // namespace switchyard::algorithms
