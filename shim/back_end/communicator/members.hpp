// The ranks of a communicator, as they introduce themselves at its first call.
#pragma once

#include "algorithms/node_map.hpp"
#include "shim/back_end/process/process.hpp"

#include <cstdint>
#include <mpi.h>
#include <vector>

namespace switchyard::shim {

// One rank's introduction.
struct Member {
    std::uint64_t run, node;
    std::int64_t start_seconds;
    std::int32_t world_rank, pid;
    std::uint32_t number;        // its number for the communicator
    std::int32_t region;         // of the node
    std::int32_t has_driver;     // its process has loaded a GPU's driver
    std::int32_t may_get_driver; // its machine seems to have a GPU
};

// All introductions, in the order of ranks: the same list on all ranks, so whatever follows from it is the same, too.
class Members {
  public:
    // Collective over `comm`. May throw.
    Members(MPI_Comm comm, Process& self);

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

    algorithms::NodeMap node_map() const;
    // The region of each rank in its node, by rank.
    std::vector<int> regions() const;
    // World ranks of the members that belong to our run.
    std::vector<int> world_ranks() const;

  private:
    int rank_ = 0;
    bool are_world_ = false;
    std::uint64_t run_;
    std::vector<Member> list_;
};

} // namespace switchyard::shim
