// The way of blocks in node_aware: the nodes around this rank's node, the lanes of the node, and its ranks in
// charge.
#pragma once

#include "algorithms/alltoallv/node_aware_scratch.hpp"
#include "rows.hpp"

namespace switchyard::algorithms::alltoallv {

class Routes {
  public:
    Routes(const Exchange& exchange, const Parameters& parameters)
        : exchange_(exchange), map_(*exchange.group.node_map), own_node_(exchange.group.own_node()),
          node_(map_.node_of(exchange.group.rank)), parameters_(parameters),
          hops_(map_.nodes(), map_.largest(), parameters[Parameter::radix], parameters[Parameter::lanes]),
          layout_({own_node_.size, map_.nodes(), map_.largest()}, exchange.max_block, parameters) {}

    const NodeMap& map() const { return map_; }
    const Group& own_node() const { return own_node_; }
    const NodeHops& hops() const { return hops_; }
    const NodeAwareLayout& layout() const { return layout_; }

    int node() const { return node_; }
    int node_up(std::int64_t distance) const { return static_cast<int>((node_ + distance) % map_.nodes()); }
    int node_down(std::int64_t distance) const {
        return static_cast<int>((node_ - distance % map_.nodes() + map_.nodes()) % map_.nodes());
    }

    // Whether the hops of that weight end the exchange: they are the last ones, and every rank has a lane of
    // its own. Then each block arrives at its destination.
    bool ends_exchange(std::int64_t weight) const {
        return weight * hops_.radix() >= map_.nodes() && hops_.lanes() >= map_.largest();
    }
    // The local rank of this node that gets the blocks of that offset and lane, for hops of that weight and
    // more. -1: the blocks are on the node of their destinations.
    int next_holder(std::int64_t offset, int lane, std::int64_t weight) const {
        const int digit = hops_.next_digit(offset, weight);
        return digit == 0 ? -1 : hops_.charge_of(digit, lane, own_node_.size);
    }
    // Calls visit(z, lane) for the hops of that weight in the charge of a local rank of this node.
    template <typename Visitor>
    void for_each_charge(std::int64_t weight, int local_rank, Visitor&& visit) const {
        hops_.for_each_charge(weight, local_rank, own_node_.size, visit);
    }
    // Calls visit(offset, source node, source's local rank) for each row that arrives with that hop.
    template <typename Visitor>
    void for_each_row(std::int64_t weight, int z, Visitor&& visit) const {
        hops_.for_each_offset(weight, z, [&](int offset) {
            const int source_node = node_down(z * weight + offset % weight);
            for (int source = 0; source < map_.size_of(source_node); ++source)
                visit(offset, source_node, source);
        });
    }

    std::size_t key_of(int offset, int lane) const {
        return static_cast<std::size_t>(offset) * static_cast<std::size_t>(hops_.lanes()) +
               static_cast<std::size_t>(lane);
    }
    // The row for that lane of that node, which begins there.
    Row row_at(std::byte* begin, int destination_node, int lane) const {
        const int blocks = hops_.ranks_in(lane, map_.size_of(destination_node));
        return Row::read(exchange_, begin, static_cast<std::size_t>(blocks), layout_.size_bytes);
    }

    // ---- This rank's lane ----

    int lane() const { return hops_.lane_of(own_node_.rank); }
    // The ranks of this node in the lane. Local rank i of the node is number i / lanes of them. `members`:
    // layout().lane_ranks integers, which the group uses.
    Group lane_group(std::span<int> members) const {
        const int count = hops_.ranks_in(lane(), own_node_.size);
        for (int i = 0; i < count; ++i)
            members[static_cast<std::size_t>(i)] = own_node_.rank_in_comm(local_rank_of(i));
        return own_node_.part(own_node_.rank / hops_.lanes(), count, members.data());
    }
    int local_rank_of(int lane_rank) const { return lane() + lane_rank * hops_.lanes(); }

    // The parameters of tuna for an exchange of bundles of that size inside a group.
    Parameters inner(const Group& group, std::size_t bundle_bytes) const {
        return node_aware_inner(group.size, bundle_bytes, parameters_);
    }

  private:
    const Exchange& exchange_;
    const NodeMap& map_;
    const Group own_node_;
    const int node_;
    const Parameters& parameters_;
    const NodeHops hops_;
    const NodeAwareLayout layout_;
};

} // namespace switchyard::algorithms::alltoallv
