// What we know of one communicator of the application: made at its first call, collectively; kept as an
// attribute, so that it goes when the communicator goes.
#pragma once

#include "algorithms/algorithm.hpp"
#include "shim/back_end/device/staging.hpp"
#include "plan.hpp"
#include "shim/back_end/process/process.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace switchyard::shim {

namespace adaptive {
class Book;
}

// What only a communicator needs on which something may be routed.
struct Rails {
    algorithms::Group group;
    algorithms::Wire wire{group};
    std::unique_ptr<algorithms::NodeWindow> window; // null where nothing uses it, or where it cannot be had
    algorithms::Workspace workspace;                // of the algorithms; grows on all ranks alike
    algorithms::Workspace staging;                  // packed data, of this rank alone
    std::vector<algorithms::Block> send, recv;

    explicit Rails(const algorithms::Group& g)
        : group(g), send(static_cast<std::size_t>(g.size)), recv(static_cast<std::size_t>(g.size)) {}
    // Makes the workspace good for that many bytes (the same number on all ranks), or says no on all of them.
    bool reserve(std::size_t bytes);
    // The same for what that choice needs for that call.
    bool reserve_for(const policy::Choice& choice, const policy::Features& call);

  private:
    std::size_t agreed_workspace_ = 0;
    // What was last reserved for: to ask for the bytes can mean a walk over nodes and rounds, of up to 0.1 ms.
    struct {
        const policy::Choice* choice = nullptr;
        std::size_t max_block = 0;
    } reserved_for_;
};

class Row;

class CommState {
  public:
    ~CommState();
    // The communicator's state; at its first call this is collective over it. Null where there is none to be
    // had, on all its ranks: then the call is forwarded.
    static CommState* of(MPI_Comm comm, Process& self) {
        if (last_.comm == comm && last_.freed == freed_.load(std::memory_order_acquire)) return last_.state;
        return look_up(comm, self);
    }

    // MPI calls this when the communicator is freed.
    static int on_delete(MPI_Comm, int, void* state, void*);
    // The end of the run: private communicators go while they still can.
    static void release_all(Process& self);

    // Fixed facts, for Features.
    int ranks() const { return ranks_; }
    int rank() const { return rank_; }
    int nodes() const { return nodes_; }
    int ranks_per_node() const { return ranks_per_node_; }
    // How many blocks a call on it has (the remote ranks of an intercommunicator), and which is this rank's
    // own (-1).
    int blocks() const { return blocks_; }
    int own_block() const { return own_block_; }

    Plan& plan(Collective collective, Buffers buffers) {
        return *plans_[plan_index(has_devices_, collective, buffers)];
    }

    // Whether some rank's process can have device memory, as far as the ranks have told each other.
    bool has_devices() const { return has_devices_; }
    // Whether one may yet, so that they do well to tell each other.
    bool may_have_devices() const { return may_have_devices_; }
    // All ranks have learned of one that can.
    void meet_devices() { has_devices_ = true; }
    // At every call, before its plan is asked for. Where GPUs may come and a rule would look at them, the ranks
    // ask each other at calls 1, 2, 4, 8, ... and at every 1024th.
    void look_for_devices(Process& self) {
        if (awaits_devices_ && !has_devices_) [[unlikely]]
            ask_for_devices(self);
    }
    // Host memory for device buffers; made at the first need, which may throw.
    device::Staging& staging();
    // Makes it good for what was described, or says no on all ranks. `most`: of the rank that needs most.
    bool reserve_staging(std::size_t most);

    Rails* rails() { return rails_.get(); }        // null: everything native
    adaptive::Book* book() { return book_.get(); } // null where no use is adaptive

    // Writes the record's identity and hands it to the recorder.
    void record(Process& self, log::CallRecord& record) {
        record.communicator = log_number_;
        record.sequence = sequence_;
        if (self.summary)
            add_to_sum(self, record);
        else
            self.recorder->add(record);
    }
    void count(bool routed) {
        ++sequence_;
        if (routed) ++routed_;
    }

  private:
    struct Member;
    CommState();
    static CommState* look_up(MPI_Comm comm, Process& self);
    static CommState* create(MPI_Comm comm, Process& self);
    void meet(MPI_Comm comm, const Row& row, Process& self);
    std::vector<Member> introduce(MPI_Comm comm, Process& self);
    void take_place(const std::vector<Member>& members, Process& self);
    void take_region(const std::vector<Member>& members);
    // By whether there are devices, collective and Buffers.
    using Plans = std::array<std::shared_ptr<Plan>, 2 * algorithms::collective_count * buffers_count>;
    Plans plans_of(Process& self, const char* only_native, bool shared_memory) const;
    static std::size_t plan_index(bool devices, Collective collective, Buffers buffers) {
        return (static_cast<std::size_t>(collective) + (devices ? algorithms::collective_count : 0)) *
                   buffers_count +
               static_cast<std::size_t>(buffers);
    }
    void take_devices(const std::vector<Member>& members, const Process& self);
    bool looks_at_buffer() const;
    void ask_for_devices(Process& self);
    bool routes() const;
    bool uses_shared_memory() const;
    bool is_adaptive() const;
    void keep_lessons(Process& self);
    bool lay_rails(MPI_Comm comm, Process& self);
    void name_in_log(Process& self, const std::vector<Member>& members);
    void retire(Process& self);
    void free_rails(Process& self);

    int ranks_ = 1, rank_ = 0, nodes_ = 1, ranks_per_node_ = 1, blocks_ = 1, own_block_ = 0;
    bool is_world_ = false;
    int leader_ = 0; // world rank of the communicator's rank 0 and its number for it: the same on
    std::uint32_t leader_number_ = 0; // all ranks, different from all other communicators
    std::uint32_t log_number_ = 0;
    std::uint32_t sequence_ = 0, routed_ = 0; // calls so far
    Plans plans_;
    bool has_devices_ = false;      // on some rank
    bool may_have_devices_ = false; // now or later, on some rank: else both halves of the plans are one
    bool awaits_devices_ = false;   // and a rule looks at it
    std::uint32_t begun_ = 0;       // calls that asked or could have asked
    std::unique_ptr<device::Staging> staging_; // null until there is a device buffer
    std::size_t agreed_staging_ = 0;
    std::optional<algorithms::NodeMap> node_map_;   // where there are rails
    std::optional<algorithms::NodeMap> region_map_; // of this rank's node, where a rule looks at regions
    int regions_ = 0;                               // on all nodes; 0: no rule looks at them
    std::unique_ptr<Rails> rails_;
    std::unique_ptr<adaptive::Book> book_;
    Process* process_ = nullptr; // null once the run is over

    // Detail `summary`: the records that calls of one kind are added to.
    struct Sum {
        log::Slot* call;
        log::Slot* detail;
        log::Slot* nodes;
        log::Slot* copies;
        std::uint32_t decision;
        std::uint8_t collective, binding;
        bool in_place, large_count, on_device, is_staged;
    };
    std::vector<Sum> sums_;
    void add_to_sum(Process& self, const log::CallRecord& record);

    // Programs call on the same communicator again and again; asking MPI for the attribute costs 6 to 9 ns
    // each time. Whatever is remembered is forgotten when any communicator is freed, since its handle may
    // come back.
    struct Last {
        MPI_Comm comm;
        CommState* state;
        std::uint64_t freed;
    };
    __attribute__((tls_model("initial-exec"))) static thread_local Last last_;
    static std::atomic<std::uint64_t> freed_;
};

} // namespace switchyard::shim
