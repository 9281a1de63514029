// Whether other programs have the cores of a node where several ranks share each core. Some rank
// has something to do at almost every moment, so the ranks together use up the cores. If they do
// not, somebody else does.
//
// Each rank tells the other ranks its part of a core. The sum of the ranks' times would say less: ranks tell
// their times at different moments of an exchange, and an exchange can last longer than a period.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace switchyard::algorithms {

class NodeLoad {
  public:
    using Clock = std::chrono::steady_clock;

    // `cores`: the number of cores that the ranks of the node share.
    explicit NodeLoad(int cores) : cores_(cores) {}

    // How long the processors have worked for this process.
    static std::chrono::nanoseconds own_time() {
        timespec time{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    }

    // Ends this rank's period, if it is over. Only then asks for `own_time`. Returns the rank's part of a
    // core in its last period.
    template <typename Time>
    double own_part(Clock::time_point now, const Time& own_time) {
        if (now - begin_ < period) return part_;
        const std::chrono::nanoseconds time = own_time();
        if (begin_ > Clock::time_point{}) {
            part_ = std::chrono::duration<double>(time - time_) / (now - begin_);
            is_due_ = true;
        }
        begin_ = now;
        time_ = time;
        return part_;
    }

    // `parts`: the sum of all ranks' parts. Counts once in a period of this rank.
    void hear(double parts) {
        if (!is_due_) return;
        is_due_ = false;
        const bool is_rest = parts / cores_ >= least_part;
        periods_left_ = is_rest ? std::max(periods_left_ - 1, 0) : periods_at_rest;
    }

    void assume_others() { // for tests
        periods_left_ = 1;
        begin_ = Clock::time_point::max();
    }
    bool others_have_cores() const { return periods_left_ > 0; }

    static constexpr std::chrono::milliseconds period{50}; // each core has changed hands a dozen times

  private:
    // A part of the cores' time. RESULTS.md, Other programs on the cores, says what ranks get.
    static constexpr double least_part = 0.8;

    // Trusting a period in which the other programs rested by chance costs more than a few
    // needless exchanges by messages.
    static constexpr int periods_at_rest = 4;

    int cores_;
    Clock::time_point begin_; // of this rank's period
    std::chrono::nanoseconds time_{};
    double part_ = 1; // a whole core, while nothing is known
    bool is_due_ = false;
    int periods_left_ = 0; // until the cores count as free
};

} // namespace switchyard::algorithms
