// How a rank rests while it waits for other ranks of its node.
//
// With a core for each rank it spins. Otherwise it leaves its core to other processes, again and again. A
// program that is not ours then keeps the core for milliseconds each time. So a rank that has met such a
// program sleeps instead, for the shortest time that the system knows: a rank that wakes up gets a core much
// sooner than a rank that left its core.
#pragma once

#include <chrono>

namespace switchyard::algorithms {

class NodeRest {
  public:
    // `ranks`: the ranks of the node. `cores`: the cores that they share.
    NodeRest(int ranks, int cores);

    // What the other ranks do meanwhile. A rank that computes also keeps a core for long.
    enum class Others { may_compute, exchange };

    // Rests after `looks` looks that found nothing. May return at any time.
    void after(int looks, Others others) {
        if (looks < spins_)
            pause();
        else
            leave_core(others);
    }

    // Acts as if programs that are not ours kept the cores for long: for tests.
    void assume_others() { sleeps_until_ = Clock::time_point::max(); }
    // Some ranks share a core.
    bool shares_cores() const { return spins_ == 0; }
    // Several ranks share each core.
    bool is_crowded() const { return is_crowded_; }
    static bool are_a_crowd(int ranks, int cores) { return ranks > 2 * cores; }

  private:
    using Clock = std::chrono::steady_clock;
    static void pause(); // for some dozen cycles
    void leave_core(Others others);

    int spins_;
    bool is_crowded_;
    Clock::duration turn_of_ours_; // in which all ranks that share this rank's core have had it
    Clock::time_point sleeps_until_;
};

inline void NodeRest::pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

} // namespace switchyard::algorithms
