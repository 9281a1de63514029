// The application's communicators in this run: the living ones, their plans, and the sums of those that are gone.
#pragma once

#include "plan.hpp"
#include "shim/back_end/process/process.hpp"
#include "shim/common/learning/lesson.hpp"

#include <cstdint>
#include <mutex>
#include <vector>

namespace switchyard::shim {

class CommState;

// Calls on the communicators that this process leads: every call counts once.
struct CallCounts {
    std::uint64_t seen = 0, routed = 0;
};

class Communicators {
  public:
    explicit Communicators(Process& process) : process_(process), plans_(process) {}

    // The communicators of the run. Null before its start and after its end: then every call is forwarded.
    static Communicators* current();
    void make_current();
    // Ends the run: returns what was current, and current() is null from here on.
    static Communicators* take_current();

    Process& process() { return process_; }
    Plans& plans() { return plans_; }

    // Room for one more, so that add() cannot fail. May throw.
    void reserve();
    void add(CommState& state);
    // A communicator is freed: its calls count, and its lessons are kept.
    void retire(CommState& state);
    // The end of the run: all are retired, and their private communicators are freed in an order that all ranks share.
    // Collective.
    CallCounts release_all();

    const adaptive::Lessons& learned() const { return learned_; } // of those that are retired

  private:
    void keep(CommState& state);

    Process& process_;
    Plans plans_;
    std::mutex mutex_;
    std::vector<CommState*> states_;
    CallCounts counts_;
    adaptive::Lessons learned_;
};

} // namespace switchyard::shim
