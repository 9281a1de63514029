// The application's communicators in this run: the living ones, their plans, and the sums of the freed ones.
#pragma once

#include "members.hpp"
#include "plan.hpp"
#include "shim/back_end/process/process.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
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
    static Communicators* current() { return current_.load(std::memory_order_acquire); }
    void make_current() { current_.store(this, std::memory_order_release); }
    // Ends the run: returns what was current, and current() is null from here on.
    static Communicators* take_current() { return current_.exchange(nullptr); }

    Process& process() { return process_; }
    Plans& plans() { return plans_; }

    // The state of MPI_COMM_WORLD or MPI_COMM_SELF, which lives as long as the run; null for any other
    // communicator. These two have no attribute of ours: MPI_Finalize deletes their attributes in the midst
    // of the program's, whose delete functions may call collectives.
    CommState** kept(MPI_Comm comm) {
        if (comm == MPI_COMM_WORLD) return &world_state_;
        return comm == MPI_COMM_SELF ? &self_state_ : nullptr;
    }

    // Room for one more, so that add() cannot fail. May throw.
    void reserve();
    void add(CommState& state);
    // A communicator is freed: its calls count.
    void retire(CommState& state);
    // The end of the run: all are retired.
    CallCounts retire_all();

    // The messages of all communicators travel on one communicator of ours, where a tag tells them apart.
    // Returns a number for a tag that no communicator of this process has had. No two processes offer the
    // same number, so the ranks of a new communicator can take the largest of theirs, whatever communicators
    // other threads make meanwhile.
    std::uint64_t offer_tag();
    // The tag for this number; 0: a living communicator of this process has that tag, since there are fewer
    // tags than numbers. May throw.
    int take_tag(std::uint64_t number);
    void give_back(int tag);

    SpareList& spare_list() { return spare_list_; }

  private:
    void keep(CommState& state);

    static inline constinit std::atomic<Communicators*> current_{nullptr};
    Process& process_;
    Plans plans_;
    SpareList spare_list_;
    CommState *world_state_ = nullptr, *self_state_ = nullptr;
    std::mutex mutex_;
    std::vector<CommState*> states_;
    std::atomic<std::uint64_t> turn_{
        0}; // of the largest number so far: each process has one number in a turn
    std::set<int> living_tags_;
    CallCounts counts_;
};

} // namespace switchyard::shim
