// What the allgather algorithms have in common that know nodes: everybody's blocks in scratch memory, sorted
// by node, the own node first and then up the ring of nodes, so that what several neighbouring nodes have is
// one piece.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/copy.hpp"
#include "algorithms/patterns/node_scratch.hpp"

namespace switchyard::algorithms::allgather {

class NodeOrder {
  public:
    NodeOrder(const Exchange& exchange, Context& context)
        : exchange_(exchange), wire_(context.wire), window_(context.intra_window()),
          map_(*exchange.group.node_map), own_node_(exchange.group.own_node()),
          node_(map_.node_of(exchange.group.rank)),
          data_(context.workspace.take(static_cast<std::size_t>(map_.ranks()) * exchange.max_block).data()),
          parts_(context.workspace.take_array<Part>(patterns::node_order_parts(map_.ranks()))) {
        copy_contribution(exchange, place_of(exchange.group.rank));
    }

    const NodeMap& map() const { return map_; }
    const Group& own_node() const { return own_node_; }
    int nodes() const { return map_.nodes(); }
    int node_up(int distance) const { return (node_ + distance) % nodes(); }
    int node_down(int distance) const { return (node_ - distance + nodes()) % nodes(); }

    // Where that rank's block lies.
    std::byte* place_of(int rank) const {
        return data_ + index(map_.begin_of(map_.node_of(rank)) + map_.local_rank(rank)) * exchange_.max_block;
    }
    // What the nodes first <= distance < last up the ring have.
    Part of_nodes(int first, int last) const {
        std::byte* const begin = place_of(map_.rank_of(node_up(first), 0));
        int ranks = 0;
        for (int distance = first; distance < last; ++distance) ranks += map_.size_of(node_up(distance));
        return {begin, static_cast<std::size_t>(ranks) * exchange_.max_block};
    }
    Part of_all() const { return of_nodes(0, nodes()); }

    // Inside the node, through its window or by dissemination. Calls for_each_part(local rank, add) for what that rank has to begin
    // with, which calls add(Part): the same on all ranks of the node.
    template <typename ForEachPart>
    Status gather_in_node(ForEachPart&& for_each_part) {
        if (window_ != nullptr) return window_->gather(for_each_part);
        Status status;
        const Wire::Within own_node(wire_, own_node_);
        for (int distance = 1; distance < own_node_.size; distance *= 2) {
            const int count = std::min(distance, own_node_.size - distance);
            wire_.receive_parts(own_node_.up(distance), list(own_node_.up(distance), count, for_each_part));
            wire_.send_parts(own_node_.down(distance), list(own_node_.rank, count, for_each_part));
            status.keep(wire_.wait_all());
        }
        return status;
    }

    bool has_window() const { return window_ != nullptr; }

    // Room for parts of one transfer; what is in it is read when that is started.
    std::span<Part> parts() { return parts_; }

    void deliver() const {
        for (int rank = 0; rank < map_.ranks(); ++rank)
            copy_bytes(exchange_.recv_from(rank), place_of(rank), exchange_.max_block);
    }

  private:
    // The place in the order of a rank that is that many behind the first of node 0.
    std::size_t index(int sorted) const {
        const int place = sorted - map_.begin_of(node_);
        return static_cast<std::size_t>(place < 0 ? place + map_.ranks() : place);
    }

    template <typename ForEachPart>
    std::span<const Part> list(int first, int count, ForEachPart&& for_each_part) {
        std::size_t parts = 0;
        for (int i = 0; i < count; ++i)
            for_each_part((first + i) % own_node_.size, [&](Part part) { parts_[parts++] = part; });
        return parts_.first(parts);
    }

    const Exchange& exchange_;
    Wire& wire_;
    NodeWindow* const window_; // null: messages inside the node
    const NodeMap& map_;
    const Group own_node_;
    const int node_;
    std::byte* const data_;
    const std::span<Part> parts_;
};

} // namespace switchyard::algorithms::allgather
