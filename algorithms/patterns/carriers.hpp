// Who on a node carries a block to another node, as index arithmetic: no MPI.
//
// The published algorithms have Q ranks on every node, and local rank g of one node meets local rank g of the
// others. Here nodes may differ: what is for local rank i of some node is carried by local rank i % q of a
// node of q ranks. So every rank gets one message from each other node, and where all nodes are equal, each
// rank meets its like.
#pragma once

#include "algorithms/node_map.hpp"

#include <algorithm>

namespace switchyard::algorithms::patterns {

class Carriers {
  public:
    Carriers(const NodeMap& map, int node) : map_(map), node_(node), ranks_(map.size_of(node)) {}

    // The node that many places up or down the ring of nodes.
    int node_up(int distance) const { return (node_ + distance) % map_.nodes(); }
    int node_down(int distance) const { return (node_ - distance + map_.nodes()) % map_.nodes(); }

    // The local rank of this node that carries what is for that rank.
    int carrier_of(int destination) const { return map_.local_rank(destination) % ranks_; }
    // The rank of that node that carries what is for `destination`.
    int carrier_on(int node, int destination) const {
        return map_.rank_of(node, map_.local_rank(destination) % map_.size_of(node));
    }

    // Calls visit(destination, distance) for all that local rank `carrier` carries for: its own node's ranks
    // first, then those of the nodes up the ring.
    template <typename Visitor>
    void for_each_destination(int carrier, Visitor&& visit) const {
        for (int distance = 0; distance < map_.nodes(); ++distance) {
            const int node = node_up(distance);
            for (int local = carrier; local < map_.size_of(node); local += ranks_)
                visit(map_.rank_of(node, local), distance);
        }
    }
    // How many those are.
    int destinations_of(int carrier) const {
        int count = 0;
        for_each_destination(carrier, [&](int, int) { ++count; });
        return count;
    }

  private:
    const NodeMap& map_;
    int node_, ranks_;
};

// The most destinations that any rank of a node of `ranks` carries for, where no node has more than
// `largest`: exact where all nodes are equal.
inline int most_destinations(int ranks, int nodes, int largest) {
    return nodes * ((largest + ranks - 1) / ranks);
}

} // namespace switchyard::algorithms::patterns
