// The ranks of an exchange. Its communicator is our own: no message of the application travels on it.
#pragma once

#include "node_map.hpp"

#include <mpi.h>

#include <cstddef>

namespace switchyard::algorithms {

struct Group {
    MPI_Comm comm = MPI_COMM_NULL; // private; its error handler returns
    int rank = 0;
    int size = 1;
    const NodeMap* node_map =
        nullptr;                  // the nodes of the communicator's ranks; null: all ranks are on one node
    const int* members = nullptr; // ranks in the communicator; null: the group is the whole communicator
    // The regions of this rank's node, by local rank, so no region is on two nodes. The same on all ranks of
    // the node. Null: nobody asked for regions.
    const NodeMap* region_map = nullptr;

    // The rank `distance` places up or down the ring; 0 <= distance <= size.
    int up(int distance) const { return rank + distance < size ? rank + distance : rank + distance - size; }
    int down(int distance) const { return rank >= distance ? rank - distance : rank - distance + size; }

    int rank_in_comm(int peer) const {
        return members == nullptr ? peer : members[static_cast<std::size_t>(peer)];
    }
    bool is_near(int peer) const {
        return node_map == nullptr || node_map->is_near(rank_in_comm(rank), rank_in_comm(peer));
    }

    // The ranks of this rank's node, without a communicator of their own. The group must be a whole
    // communicator.
    Group own_node() const {
        const int node = node_map->node_of(rank);
        const auto ranks = node_map->ranks_of(node);
        return {comm, node_map->local_rank(rank), static_cast<int>(ranks.size()), node_map, ranks.data()};
    }
};

} // namespace switchyard::algorithms
