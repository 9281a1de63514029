// What we know of one communicator of the application: made at its first call, collectively; kept as an
// attribute, so that it goes when the communicator goes.
#pragma once

#include "comm_devices.hpp"
#include "comm_log.hpp"
#include "comm_resources.hpp"
#include "communicators.hpp"
#include "members.hpp"
#include "neighbors.hpp"
#include "plan.hpp"
#include "shim/back_end/arguments/peers.hpp"
#include "shim/back_end/arguments/type_array.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace switchyard::shim {

class CommState {
  public:
    ~CommState();
    // The communicator's state; at its first call this is collective over it. Null on all its ranks if no
    // state could be made: then the call is forwarded.
    static CommState* of(MPI_Comm comm, Communicators& home) {
        if (last_.comm == comm && last_.freed == freed_.load(std::memory_order_acquire)) return last_.state;
        return look_up(comm, home);
    }

    // No thread may trust its memory of the last communicator any more, nor may the entry.
    static void forget_last() { freed_.fetch_add(1, std::memory_order_release); }
    // The communicator is about to be freed: its state goes now. No rank waits for another.
    static void end_of(MPI_Comm comm, Communicators& home) noexcept;
    // MPI calls this when the communicator is freed.
    static int on_delete(MPI_Comm, int, void* state, void*);

    // The communicator's facts, for Features.
    int ranks() const { return ranks_; }
    int rank() const { return rank_; }
    int nodes() const { return nodes_; }
    int ranks_per_node() const { return ranks_per_node_; }
    // The number of blocks that a call among all ranks has (the remote ranks of an intercommunicator), and the
    // number of this rank's own block (-1: it has none).
    int blocks() const { return all_peers_.received; }
    int own_block() const { return all_peers_.own; }
    // The other ends of a call's blocks. Among neighbours only where has_neighbors().
    const Peers& peers(Collective collective) const {
        return peers_among(algorithms::traits_of(collective).is_among_neighbors);
    }
    const Peers& peers_among(bool neighbors) const { return neighbors ? neighbor_peers_ : all_peers_; }
    const algorithms::Neighborhood& neighborhood(Collective collective) const {
        return neighbors_->of(collective == Collective::neighbor_alltoall);
    }

    // Before a call among neighbours. False: the communicator has no topology, or this rank or another has no
    // memory to take part; the call is MPI's. At the first such call, if something can be routed, this is
    // collective, and the answer the same on all ranks.
    bool has_neighbors(MPI_Comm comm) {
        if (!asked_for_neighbors_) [[unlikely]]
            ask_for_neighbors(comm);
        return neighbors_ != nullptr;
    }

    Plan& plan(Collective collective, Buffers buffers) {
        return *plans_[plan_index(devices_.are_here(), collective, buffers)];
    }

    // The datatypes of calls that have one for each block.
    CallTypes& types() { return types_; }
    int most_blocks() const; // of one side of a call

    CommDevices& devices() { return devices_; }
    const CommDevices& devices() const { return devices_; }
    CommResources* resources() { return resources_.get(); } // null: everything native
    CommLog& log() { return log_; }

    // Until that time the entry itself forwards the calls on this communicator (the thread's last one) that
    // nobody needs to see.
    void leave_to_entry(const LoadedMpi& loaded, std::uint64_t until);

    // The end of the communicator or of the run. True: this process leads it, so its calls count here.
    bool retire();

  private:
    // Indexed by presence of devices, collective and Buffers.
    using PlanList = std::array<std::shared_ptr<Plan>, 2 * algorithms::collective_count * buffers_count>;
    static std::size_t plan_index(bool devices, Collective collective, Buffers buffers) {
        return (static_cast<std::size_t>(collective) + (devices ? algorithms::collective_count : 0)) *
                   buffers_count +
               static_cast<std::size_t>(buffers);
    }

    friend class FirstCall; // which makes it
    explicit CommState(Communicators& home);
    static CommState* look_up(MPI_Comm comm, Communicators& home);
    static bool find(MPI_Comm comm, Communicators& home, CommState*& state);
    bool hang_on(MPI_Comm comm);
    void free_resources();
    void ask_for_neighbors(MPI_Comm comm) noexcept;
    void learn_of_neighbors(MPI_Comm comm) noexcept;

    Communicators* home_;
    bool retired_ = false;                           // its calls are counted; at the end of the run all are
    policy::Network network_ = policy::Network::tcp; // between its nodes
    int ranks_ = 1, rank_ = 0, nodes_ = 1, ranks_per_node_ = 1;
    Peers all_peers_{1, 1, 0}, neighbor_peers_{0, 0, -1};
    PlanList plans_;               // both halves are one where no devices may come
    std::uint32_t left_alone_ = 0; // collectives that the entry forwards at once, as in AtOnce
    CommLog log_;
    CommDevices devices_;
    std::optional<algorithms::NodeMap> node_map_;   // where there are resources
    std::optional<algorithms::NodeMap> region_map_; // of this rank's node, where a rule looks at regions
    int regions_ = 0;                               // on all nodes; 0: no rule looks at regions
    CallTypes types_;
    bool asked_for_neighbors_ = false;
    std::unique_ptr<Neighbors> neighbors_; // null: see has_neighbors()
    int tag_ = 0;                  // of its messages; 0: it has none, or a communicator of its own for them
    std::vector<int> world_ranks_; // by rank, where its messages travel on the world; empty: the same
    std::unique_ptr<CommResources> resources_;

    // Programs call on the same communicator again and again; asking MPI for the attribute costs 6 to 9 ns
    // each time. The memory is forgotten when any communicator is freed, since its handle may come back.
    struct Last {
        MPI_Comm comm;
        CommState* state;
        std::uint64_t freed;
    };
    __attribute__((tls_model("initial-exec"))) static thread_local Last last_;
    static std::atomic<std::uint64_t> freed_;
};

} // namespace switchyard::shim
