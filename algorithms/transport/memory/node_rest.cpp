#include "node_rest.hpp"

#include <algorithm>
#include <sched.h>
#include <thread>

namespace switchyard::algorithms {

namespace {

using namespace std::chrono_literals;

// A rank that gets the core copies for less than this before it waits itself. A program that does not wait
// keeps a core for some 4 ms, in addition to the turns of the ranks there.
constexpr auto turn_of_a_rank = 1ms;
constexpr auto shortest_turn = 1ms;
// After this time the rank leaves its core once more, and so learns whether the other
// programs are still there.
constexpr auto sleeping_time = 100ms;
constexpr auto nap = 1us; // the system makes it some 50 us

} // namespace

// With more ranks than cores, a rank that spins keeps the rank that it waits for off its core.
NodeRest::NodeRest(int ranks, int cores)
    : spins_(ranks > cores ? 0 : 1000), is_crowded_(are_a_crowd(ranks, cores)),
      turn_of_ours_(std::max<Clock::duration>(turn_of_a_rank * ranks / std::max(cores, 1), shortest_turn)) {}

void NodeRest::leave_core(Others others) {
    const auto left = Clock::now();
    if (left < sleeps_until_) return std::this_thread::sleep_for(nap);
    sched_yield();
    if (others == Others::may_compute) return;
    const auto back = Clock::now();
    if (back - left > turn_of_ours_) sleeps_until_ = back + sleeping_time;
}

} // namespace switchyard::algorithms
