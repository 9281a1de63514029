// The calls with which a group begins. They may pay for memory and schedules that later calls find ready.
#pragma once

#include "call.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace switchyard::shim::report {

// First calls that each took far longer than usual. Times in microseconds; the time of a call is
// the mean over its ranks.
struct SlowStart {
    std::uint64_t calls = 0;          // 0: the group does not begin with such calls
    std::size_t communicators = 0;    // that these calls are on
    double least_us = 0, most_us = 0; // of one call
    double cost_us = 0;               // what the calls took beyond the usual time, added up
    double waiting_us = 0;            // the part of the cost in which ranks waited for late ranks
    bool goes_on = false;             // the last call that is kept was slow, and later calls are not kept
};

// Calls of one group, as a log's lines bring them. It keeps at most 16 KiB, however many calls there are.
class FirstCalls {
  public:
    static constexpr std::size_t most_communicators = 16, most_calls = 64; // of each communicator

    // Lines may be in any order: a call's sequence number is its place on its communicator.
    void add(const Call& call);

    // The number of calls on a communicator: the mean over the communicators that are kept; 0: no calls.
    double calls_on_each() const;

    // On each communicator the calls from the first one on, up to the first that did not take far longer.
    SlowStart slower_than(double usual_us) const;

  private:
    struct One {
        std::uint64_t sequence;
        float mean_us, fastest_us; // the fastest rank usually came last
    };
    struct OnCommunicator {
        std::string name;
        std::vector<One> calls;   // by sequence
        std::uint64_t number = 0; // of all calls
        bool has_more = false;    // that are not kept
    };
    OnCommunicator* on(const std::string& communicator);                      // null: one too many
    static std::size_t slow_calls(const OnCommunicator& on, double limit_us); // from the first one on
    static void add_slow(SlowStart& start, const One& call, double usual_us);

    std::vector<OnCommunicator> communicators_;
    bool has_more_communicators_ = false;
};

} // namespace switchyard::shim::report
