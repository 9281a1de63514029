// The carriers of a node: the ranks that send its blocks to other nodes. Index arithmetic, no MPI.
//
// The published algorithms have Q ranks on every node, and local rank g of one node exchanges with local rank
// g of the other nodes. Here nodes may differ: local rank i % q of a node of q ranks carries the blocks for
// local rank i of any node. So every rank gets one message from each other node. Where all nodes are equal,
// equal local ranks exchange.
#pragma once

#include "algorithms/node_map.hpp"

#include <algorithm>

namespace switchyard::algorithms::forwarding {

class Carriers {
  public:
    Carriers(const NodeMap& map, int node) : map_(map), node_(node), ranks_(map.size_of(node)) {}

    // The node `distance` places up or down the ring of nodes.
    int node_up(int distance) const { return (node_ + distance) % map_.nodes(); }
    int node_down(int distance) const { return (node_ - distance + map_.nodes()) % map_.nodes(); }

    // The local rank of this node that carries the blocks for `destination`.
    int carrier_of(int destination) const { return map_.local_rank(destination) % ranks_; }
    // The rank of `node` that carries the blocks for `destination`.
    int carrier_on(int node, int destination) const {
        return map_.rank_of(node, map_.local_rank(destination) % map_.size_of(node));
    }

    // Calls visit(destination, distance of its node) for all destinations of local rank `carrier`: first
    // ranks of its own node, then ranks of the nodes up the ring.
    template <typename Visitor>
    void for_each_destination(int carrier, Visitor&& visit) const {
        for (int distance = 0; distance < map_.nodes(); ++distance) {
            const int node = node_up(distance);
            for (int local = carrier; local < map_.size_of(node); local += ranks_)
                visit(map_.rank_of(node, local), distance);
        }
    }
    // The number of these destinations.
    int destinations_of(int carrier) const {
        int count = 0;
        for_each_destination(carrier, [&](int, int) { ++count; });
        return count;
    }

  private:
    const NodeMap& map_;
    int node_, ranks_;
};

// The most destinations of any carrier on a node of `ranks` ranks, where no node has more than `largest`
// ranks. Exact where all nodes are equal.
inline int most_destinations(int ranks, int nodes, int largest) {
    return nodes * ((largest + ranks - 1) / ranks);
}

} // namespace switchyard::algorithms::forwarding
