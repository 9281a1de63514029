// The ranks of an exchange, and where their messages travel.
#pragma once

#include "comm.hpp"
#include "node_map.hpp"

#include <cstddef>

namespace switchyard::algorithms {

class Alarm;
class Neighborhood;

// The messages of many groups may travel on one communicator of our own, where they meet no message of the
// application. The tag tells the groups apart.
struct Carrier {
    Comm comm; // its error handler returns
    int tag = 0;
    const int* ranks = nullptr; // ranks in `comm`, by rank in the group's communicator; null: the same
    Alarm* alarm = nullptr;     // null where the death of a process ends the job
};

struct Group {
    Comm comm; // for MPI's own collectives; may be the application's
    int rank = 0;
    int size = 1;
    const NodeMap* node_map =
        nullptr;                  // the nodes of the communicator's ranks; null: all ranks are on one node
    const int* members = nullptr; // ranks in the communicator; null: the group is the whole communicator
    // The regions of this rank's node, by local rank, so no region is on two nodes. The same on all ranks of
    // the node. Null: nobody asked for regions.
    const NodeMap* region_map = nullptr;
    Carrier carrier{}; // without a communicator: messages travel on `comm`, with tag 0
    // Of a communicator with a topology, for the collectives among neighbours.
    const Neighborhood* neighborhood = nullptr;

    // The rank `distance` places up or down the ring; 0 <= distance <= size.
    int up(int distance) const { return rank + distance < size ? rank + distance : rank + distance - size; }
    int down(int distance) const { return rank >= distance ? rank - distance : rank - distance + size; }

    int rank_in_comm(int peer) const {
        return members == nullptr ? peer : members[static_cast<std::size_t>(peer)];
    }
    Comm carrier_comm() const { return carrier.comm ? carrier.comm : comm; }
    int rank_in_carrier(int peer) const {
        const int known_as = rank_in_comm(peer);
        return carrier.ranks == nullptr ? known_as : carrier.ranks[static_cast<std::size_t>(known_as)];
    }
    bool is_near(int peer) const {
        return node_map == nullptr || node_map->is_near(rank_in_comm(rank), rank_in_comm(peer));
    }

    // The ranks of this rank's node, without a communicator of their own. The group must
    // be a whole communicator.
    Group own_node() const {
        const int node = node_map->node_of(rank);
        const auto ranks = node_map->ranks_of(node);
        return part(node_map->local_rank(rank), static_cast<int>(ranks.size()), ranks.data());
    }
    // Some of the communicator's ranks: `part_members`. This rank is number `part_rank` among them.
    Group part(int part_rank, int part_size, const int* part_members) const {
        return {comm, part_rank, part_size, node_map, part_members, nullptr, carrier};
    }
};

} // namespace switchyard::algorithms
