// The resources of a communicator on which calls may be routed: a wire, memory, schedules. Freeing them makes
// no rank wait for another.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/transport/memory/node_window.hpp"
#include "algorithms/transport/messages/votes.hpp"
#include "comm_alarm.hpp"
#include "policy/match.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace switchyard::shim {

class Plan;

// What is known about the calls of one plan that went through the node's memory: call/fast_path.hpp.
struct FastPath {
    static constexpr std::size_t any_block = SIZE_MAX;
    const Plan* plan = nullptr; // null: there is no fast path
    policy::Match match{};
    std::size_t block = any_block;      // bytes of the only block for which this is known
    std::size_t direct_from = SIZE_MAX; // bytes; such blocks are direct, and their calls take the full path
    bool sends_directly() const { return direct_from != SIZE_MAX; }
};

struct CommResources {
    std::unique_ptr<CommAlarm> alarm; // null where the death of a process ends the job
    algorithms::Group group;
    algorithms::Wire wire{group};
    std::unique_ptr<algorithms::NodeWindow> window; // null where no algorithm uses it, or no memory is shared
    algorithms::Workspace workspace;                // of the algorithms; grows on all ranks alike
    algorithms::Workspace packing;                  // packed blocks, of this rank only
    std::vector<algorithms::Block> send, recv;
    std::uint64_t in_flight_limit = algorithms::Wire::largest_batch; // where the rule says nothing
    // The last call for which every rank knew by itself whether it goes to MPI: programs repeat their calls.
    struct {
        const Plan* plan = nullptr;
        std::size_t max_block = 0, mean_block = 0;
        bool is_native = false;
    } last_known;

    // The plan whose last call the ranks agreed to send through the node's memory. The next call is likely to
    // go there as well, if no block is larger than `most`.
    struct {
        const Plan* plan = nullptr;
        std::size_t most = 0; // bytes
    } ahead;

    std::array<FastPath, algorithms::collective_count> fast_paths; // by collective

    // MPI's own types whose items are plain bytes. Their handles last.
    struct PlainType {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        std::size_t size = 0; // bytes
    };
    const PlainType* plain_type(MPI_Datatype type) const {
        for (const PlainType& known : plain_types_)
            if (known.type == type && known.size > 0) return &known;
        return nullptr;
    }
    void remember_type(MPI_Datatype type);

    explicit CommResources(const algorithms::Group& g)
        : group(g), send(static_cast<std::size_t>(g.size)), recv(static_cast<std::size_t>(g.size)) {}
    // Makes room for the blocks of calls among these neighbours. False: no memory.
    bool make_room_for(const algorithms::Neighborhood& neighbors) noexcept;
    // Makes the choice's schedule, and makes the workspace large enough for the choice at this call. False on
    // all ranks if one of them has no memory.
    bool reserve_for(const policy::Choice& choice, const policy::Features& call);
    // The schedule of the last choice that memory was reserved for. Null: its algorithm keeps no schedule.
    const algorithms::Schedule* schedule() const { return reserved_for_.schedule; }

    // A rank is dead, or the program gave the communicator up: MPI answers the call, with an error.
    bool are_lost() { return alarm && alarm->look(); }

  private:
    // An algorithm with the same parameters has one schedule, whichever rules choose it.
    struct Prepared {
        const algorithms::Algorithm* algorithm;
        algorithms::Parameters parameters;
        std::unique_ptr<algorithms::Schedule> schedule;
    };
    const Prepared* find_prepared(const policy::Choice& choice) const;
    bool prepare(const policy::Choice& choice) noexcept; // false: this rank has no memory for it
    bool agree_on_memory(const policy::Choice& choice, std::size_t bytes);

    std::array<PlainType, 4> plain_types_; // seen last
    std::size_t next_plain_type_ = 0;
    algorithms::AgreedSize agreed_workspace_;
    std::vector<Prepared> prepared_;
    // The last choice and block that memory was reserved for: computing the bytes can take a walk over nodes
    // and rounds, of up to 0.1 ms.
    struct {
        const policy::Choice* choice = nullptr;
        std::size_t block = 0; // policy::block_for_scratch
        const algorithms::Schedule* schedule = nullptr;
    } reserved_for_;
};

} // namespace switchyard::shim
