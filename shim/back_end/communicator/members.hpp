// The ranks of a communicator, as they introduce themselves at its first call.
#pragma once

#include "algorithms/node_map.hpp"
#include "algorithms/transport/memory/node_memory.hpp"
#include "shim/back_end/process/process.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <vector>

namespace switchyard::shim {

// What a rank brings to a communicator, in case all ranks can use it.
struct Offer {
    std::uint64_t tag = 0; // a number that no communicator of this process has had
    algorithms::NodeMemory::Place section{};
};

// One rank's introduction.
struct Member {
    std::uint64_t run, node;
    std::int64_t start_seconds;
    std::int32_t world_rank, pid;
    std::uint32_t number;        // its number for the communicator
    std::int32_t region;         // of the node
    std::int32_t has_driver;     // its process has loaded a GPU's driver
    std::int32_t may_get_driver; // its machine seems to have a GPU
    std::int32_t has_rdma;       // its machine has a device for remote memory access
    std::int32_t unused = 0;     // so that no byte of an introduction is undefined
    algorithms::CoreSet cores;
    Offer offer;
};

// Spare room for a list of introductions, for a rank that has no memory for a list while the other ranks
// wait. One thread at a time can use it, and its pages take no memory until then.
class SpareList {
  public:
    void make(int ranks);
    // Null: the room is too small, or another thread is in it.
    Member* take(int ranks);
    void give_back() { is_taken_ = false; }

  private:
    std::unique_ptr<Member[]> room_;
    int ranks_ = 0;
    std::atomic<bool> is_taken_{false};
};

// All introductions, in the order of ranks: the same list on all ranks, so everything that follows from it is
// the same as well.
class Members {
  public:
    // Collective over `comm`. May throw; even then the other ranks have this rank's introduction.
    Members(MPI_Comm comm, Process& self, const Offer& offer, SpareList& spare);

    int rank() const { return rank_; } // of this process
    int ranks() const { return static_cast<int>(list_.size()); }
    bool are_world() const { return are_world_; }
    const Member& first() const { return list_.front(); }
    const std::vector<Member>& list() const { return list_; }

    // The first rank of our run. It merges the communicator's records.
    const Member& leader() const;
    // Whether all ranks have the same settings and policy.
    bool are_one_run() const;
    bool any_has_driver() const;
    bool any_may_get_driver() const;
    bool any_has_rdma() const;

    algorithms::NodeMap node_map() const;
    // The region of each rank in its node, by rank.
    std::vector<int> regions() const;
    // World ranks of the members that belong to our run.
    std::vector<int> world_ranks() const;
    // The largest number that is offered, so no communicator of any member has had it.
    std::uint64_t tag() const;
    std::vector<algorithms::NodeMemory::Place> sections() const; // by rank
    // The number of cores that the members on this rank's node may run on together.
    int cores_of_node() const;

  private:
    int rank_ = 0;
    bool are_world_ = false;
    void exchange(MPI_Comm comm, const Member& mine, int ranks, SpareList& spare);

    std::uint64_t run_;
    std::vector<Member> list_;
};

} // namespace switchyard::shim
