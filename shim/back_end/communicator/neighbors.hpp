// The neighbourhood of a rank on a communicator with a topology, learnt at the communicator's first
// neighbourhood collective.
#pragma once

#include "algorithms/group.hpp"
#include "algorithms/neighborhood.hpp"

#include <memory>
#include <mpi.h>
#include <optional>
#include <span>
#include <vector>

namespace switchyard::shim {

class Neighbors {
  public:
    // What this rank knows by itself, and all that it needs for calls that MPI takes. Null: the communicator has
    // no topology, or there is no memory. No communication.
    static std::unique_ptr<Neighbors> of(MPI_Comm comm, int rank, int ranks) noexcept;

    // Learns what routed calls need, together with the other ranks. False on all ranks: nothing can be routed
    // among these neighbours. `own`: null on a rank without memory. `knows_edges`: an algorithm that may run
    // looks at other ranks' edges. Collective.
    static bool meet(Neighbors* own, const algorithms::Group& group, MPI_Comm comm,
                     bool knows_edges) noexcept;

    const algorithms::Neighborhood& of(bool is_alltoall) const {
        return is_alltoall && of_alltoall_ ? *of_alltoall_ : usual_;
    }

  private:
    struct Lists {
        std::vector<int> destinations, sources;
    };
    Neighbors(Lists lists, int rank, int ranks)
        : usual_(rank, ranks, std::move(lists.destinations), std::move(lists.sources)) {}
    static Lists lists_of(MPI_Comm comm, int rank);
    bool learn_together(const algorithms::Group& group, MPI_Comm comm, bool knows_edges);
    bool learn_orders(const algorithms::Group& group, MPI_Comm comm);
    bool learn_edges(const algorithms::Group& group, MPI_Comm comm, std::span<const int> degrees);

    algorithms::Neighborhood usual_;
    // In calls of MPI_Neighbor_alltoall, where they deliver the blocks of a rank that sends several in another
    // order than the other functions.
    std::optional<algorithms::Neighborhood> of_alltoall_;
};

} // namespace switchyard::shim
