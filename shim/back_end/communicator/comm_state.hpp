// What we know of one communicator of the application: made at its first call, collectively; kept as an
// attribute, so that it goes when the communicator goes.
#pragma once

#include "comm_resources.hpp"
#include "communicators.hpp"
#include "members.hpp"
#include "neighbors.hpp"
#include "plan.hpp"
#include "shim/back_end/arguments/peers.hpp"
#include "shim/back_end/arguments/type_array.hpp"
#include "shim/back_end/device/device_window.hpp"
#include "shim/back_end/device/staging.hpp"
#include "shim/common/log/summary.hpp"

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
        return *plans_[plan_index(has_devices_, collective, buffers)];
    }

    // Some rank's process may get a GPU's driver, so the ranks agree on device buffers.
    bool may_have_devices() const { return may_have_devices_; }
    // All ranks have learned of a process with a driver.
    void meet_devices() { has_devices_ = true; }
    // At every call, before its plan is asked for. Where GPUs may come and a rule would look at them, the
    // ranks ask each other at calls 1, 2, 4, 8, ... and at every 1024th.
    void look_for_devices(Process& self) {
        if (awaits_devices_ && !has_devices_) [[unlikely]]
            ask_for_devices(self);
    }
    // The datatypes of calls that have one for each block.
    CallTypes& types() { return types_; }

    // Host memory for device buffers; made at the first need, which may throw.
    device::Staging& staging();
    // Makes it large enough for the described call. False on all ranks where one has no memory. `most`: bytes
    // of the rank that needs most.
    bool reserve_staging(std::size_t most);
    // Device memory that the ranks have mapped; made at the first need, which may throw.
    device::DeviceWindow& device_window();
    device::Streams& streams() { return streams_; }

    CommResources* resources() { return resources_.get(); } // null: everything native

    // Writes the record's identity and hands it to the recorder. `Record`: CallHead or CallRecord.
    template <typename Record>
    void record(Process& self, Record& record) {
        record.communicator = log_number_;
        record.sequence = static_cast<std::uint32_t>(calls_.seen);
        if (self.summary)
            summary_.add(record, *self.recorder);
        else
            self.recorder->add(record);
    }
    // Until that time the entry itself forwards the calls on this communicator (the thread's last one) that
    // nobody needs to see.
    void leave_to_entry(const LoadedMpi& loaded, std::uint64_t until);
    void count(bool routed) {
        ++calls_.seen;
        if (routed) ++calls_.routed;
    }
    // At each call of the collective that is logged. True at calls 1, 2, 4, 7, 11, 17, 26, ...: each number is
    // half as large again as the one before, so a million calls have 32 looks. Odd and even calls take turns,
    // since programs alternate between two exchanges.
    bool looks_at(Collective collective) {
        auto& looks = looks_[static_cast<std::size_t>(collective)];
        if (++looks.calls != looks.next) [[likely]]
            return false;
        looks.next += looks.next / 2 + 1;
        return true;
    }
    const CallCounts& calls() const { return calls_; }

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

    int most_blocks() const; // of one side of a call
    friend class FirstCall;  // which makes it
    explicit CommState(Communicators& home);
    static CommState* look_up(MPI_Comm comm, Communicators& home);
    static bool find(MPI_Comm comm, Communicators& home, CommState*& state);
    bool hang_on(MPI_Comm comm);
    void free_resources();
    void ask_for_devices(Process& self);
    void ask_for_neighbors(MPI_Comm comm) noexcept;
    void learn_of_neighbors(MPI_Comm comm) noexcept;

    Communicators* home_;
    bool retired_ = false;                           // its calls are counted; at the end of the run all are
    policy::Network network_ = policy::Network::tcp; // between its nodes
    int ranks_ = 1, rank_ = 0, nodes_ = 1, ranks_per_node_ = 1;
    Peers all_peers_{1, 1, 0}, neighbor_peers_{0, 0, -1};
    int leader_ = 0;
    std::uint32_t leader_number_ = 0;
    std::uint32_t log_number_ = 0;
    CallCounts calls_; // so far
    struct Looks {
        std::uint32_t calls = 0, next = 1;
    };
    std::array<Looks, algorithms::collective_count> looks_{}; // at what moves
    PlanList plans_;
    bool has_devices_ = false;      // on some rank
    bool may_have_devices_ = false; // now or later, on some rank: else both halves of the plans are one
    std::uint32_t left_alone_ = 0;  // collectives that the entry forwards at once, as in AtOnce
    bool awaits_devices_ = false;   // GPUs may come, and a rule looks at them
    std::uint32_t begun_ = 0;       // calls that asked or could have asked
    device::Streams streams_;
    std::unique_ptr<device::Staging> staging_; // null until there is a device buffer
    std::unique_ptr<device::DeviceWindow> device_window_;
    algorithms::AgreedSize agreed_staging_;
    std::optional<algorithms::NodeMap> node_map_;   // where there are resources
    std::optional<algorithms::NodeMap> region_map_; // of this rank's node, where a rule looks at regions
    int regions_ = 0;                               // on all nodes; 0: no rule looks at regions
    CallTypes types_;
    bool asked_for_neighbors_ = false;
    std::unique_ptr<Neighbors> neighbors_; // null: see has_neighbors()
    int tag_ = 0;                  // of its messages; 0: it has none, or a communicator of its own for them
    std::vector<int> world_ranks_; // by rank, where its messages travel on the world; empty: the same
    std::unique_ptr<CommResources> resources_;
    log::Summary summary_;

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
