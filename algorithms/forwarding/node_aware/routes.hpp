// The routes of blocks in node_aware: the nodes around this rank's node, the lanes of the node, and its ranks
// in charge. Index arithmetic, from which the schedule is made.
#pragma once

#include "algorithms/group.hpp"
#include "algorithms/traits.hpp"
#include "node_hops.hpp"

namespace switchyard::algorithms::forwarding {

class Routes {
  public:
    Routes(const Group& group, const Parameters& parameters)
        : map_(*group.node_map), own_node_(group.own_node()), node_(map_.node_of(group.rank)),
          hops_(map_.nodes(), map_.largest(), parameters[Parameter::radix], parameters[Parameter::lanes]) {}

    const NodeMap& map() const { return map_; }
    const Group& own_node() const { return own_node_; }
    const NodeHops& hops() const { return hops_; }

    int node() const { return node_; }
    int node_up(std::int64_t distance) const { return static_cast<int>((node_ + distance) % map_.nodes()); }
    int node_down(std::int64_t distance) const {
        return static_cast<int>((node_ - distance % map_.nodes() + map_.nodes()) % map_.nodes());
    }
    // The rank of `node` in charge of that hop.
    int rank_in_charge(int node, int z, int lane) const {
        return map_.rank_of(node, hops_.charge_of(z, lane, map_.size_of(node)));
    }

    // Whether the hops of that weight end the exchange: they are the last ones, and every rank has a lane of
    // its own. Then each block arrives at its destination.
    bool ends_exchange(std::int64_t weight) const {
        return hops_.next_weight(weight) >= map_.nodes() && hops_.lanes() >= map_.largest();
    }
    // The local rank of this node that gets the blocks of that offset and lane, for hops of that weight and
    // more. -1: the blocks are on the node of their destinations.
    int next_holder(std::int64_t offset, int lane, std::int64_t weight) const {
        const int digit = hops_.next_digit(offset, weight);
        return digit == 0 ? -1 : hops_.charge_of(digit, lane, own_node_.size);
    }
    // The blocks of a row for that lane of that node. 0: the node has no rank in the
    // lane, and there is no row.
    int row_blocks(int destination_node, int lane) const {
        return hops_.ranks_in(lane, map_.size_of(destination_node));
    }

    // Calls visit(offset, lane) for the rows that each rank has for other nodes.
    template <typename Visitor>
    void for_each_key(Visitor&& visit) const {
        for (int offset = 1; offset < map_.nodes(); ++offset)
            for (int lane = 0; lane < hops_.lanes(); ++lane)
                if (row_blocks(node_up(offset), lane) > 0) visit(offset, lane);
    }
    // Calls visit(z, lane) for the hops of that weight in the charge of a local rank of this node.
    template <typename Visitor>
    void for_each_charge(std::int64_t weight, int local_rank, Visitor&& visit) const {
        hops_.for_each_charge(weight, local_rank, own_node_.size, visit);
    }
    // Calls visit(offset, source node, blocks of a row) for the keys that the hop brings to the node `at`.
    // There is a row from each rank of the source node.
    template <typename Visitor>
    void for_each_arriving(int at, std::int64_t weight, int z, int lane, Visitor&& visit) const {
        hops_.for_each_offset(weight, z, [&](int offset) {
            const std::int64_t travelled = z * weight + offset % weight;
            const auto nodes = static_cast<std::int64_t>(map_.nodes());
            const auto source_node = static_cast<int>((at - travelled % nodes + nodes) % nodes);
            const int blocks = row_blocks((source_node + offset) % map_.nodes(), lane);
            if (blocks > 0) visit(offset, source_node, blocks);
        });
    }

    // ---- This rank's lane ----

    int lane() const { return hops_.lane_of(own_node_.rank); }
    int lane_ranks() const { return hops_.ranks_in(lane(), own_node_.size); }
    int rank_in_lane() const { return own_node_.rank / hops_.lanes(); }
    // The local rank of the lane's rank of that number, and the other way round.
    int local_rank_of(int lane_rank) const { return lane() + lane_rank * hops_.lanes(); }
    int lane_rank_of(int local_rank) const { return local_rank / hops_.lanes(); }

  private:
    const NodeMap& map_;
    const Group own_node_;
    const int node_;
    const NodeHops hops_;
};

} // namespace switchyard::algorithms::forwarding
