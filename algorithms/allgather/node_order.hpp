// What the allgather algorithms have in common that know nodes: everybody's blocks in scratch memory, sorted
// by node, the own node first and then up the ring of nodes, so that what several neighbouring nodes have is
// one piece.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/copy.hpp"
#include "algorithms/patterns/node_scratch.hpp"

namespace switchyard::algorithms::allgather {

// The nodes of a map, or the regions of one, as a ring on which a rank has its place.
struct Ring {
    const NodeMap& map;
    const int home, self; // its node, and its place there

    Ring(const NodeMap& nodes, int rank)
        : map(nodes), home(nodes.node_of(rank)), self(nodes.local_rank(rank)) {}

    int nodes() const { return map.nodes(); }
    int up(int distance) const { return (home + distance) % nodes(); }
    int down(int distance) const { return (home - distance + nodes()) % nodes(); }
    std::span<const int> near_ranks() const { return map.ranks_of(home); }

    // The smallest base in which a node's number has as few digits as in that of the largest node's ranks.
    std::int64_t smallest_base() const {
        const std::int64_t largest = std::max(map.largest(), 2);
        std::int64_t base = 2;
        while (base < largest && digits(base) > digits(largest)) ++base;
        return base;
    }

  private:
    int digits(std::int64_t base) const {
        int count = 0;
        for (std::int64_t weight = 1; weight < nodes(); weight *= base) ++count;
        return count;
    }
};

class NodeOrder {
  public:
    NodeOrder(const Exchange& exchange, Context& context)
        : exchange_(exchange), wire_(context.wire), window_(context.intra_window()),
          map_(*exchange.group.node_map), own_node_(exchange.group.own_node()),
          ring_(map_, exchange.group.rank),
          data_(context.workspace.take(static_cast<std::size_t>(map_.ranks()) * exchange.max_block).data()),
          parts_(context.workspace.take_array<Part>(patterns::node_order_parts(map_.ranks()))) {
        copy_contribution(exchange, place_of(exchange.group.rank));
    }

    const NodeMap& map() const { return map_; }
    const Group& own_node() const { return own_node_; }
    int nodes() const { return map_.nodes(); }
    const Ring& ring() const { return ring_; }
    int node_up(int distance) const { return ring_.up(distance); }
    int node_down(int distance) const { return ring_.down(distance); }

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

    // Dissemination among the near ranks of a ring. Calls for_each_part(place there, add) for what that rank
    // has to begin with, which calls add(Part): the same on all those ranks.
    template <typename ForEachPart>
    Status gather_near(const Ring& ring, ForEachPart&& for_each_part) {
        Status status;
        const auto ranks = ring.near_ranks();
        const int size = static_cast<int>(ranks.size());
        const auto from = [&](int first, int count) {
            return list([&](auto&& add) {
                for (int i = 0; i < count; ++i) for_each_part((first + i) % size, add);
            });
        };
        for (int distance = 1; distance < size; distance *= 2) {
            const int count = std::min(distance, size - distance);
            const int up = (ring.self + distance) % size, down = (ring.self - distance + size) % size;
            wire_.receive_parts(ranks[static_cast<std::size_t>(up)], from(up, count));
            wire_.send_parts(ranks[static_cast<std::size_t>(down)], from(ring.self, count));
            status.keep(wire_.wait_all());
        }
        return status;
    }
    // Among all ranks of the node, through its window or by messages; `place there` is the local rank.
    template <typename ForEachPart>
    Status gather_in_node(ForEachPart&& for_each_part) {
        return window_ != nullptr ? window_->gather(for_each_part) : gather_near(ring_, for_each_part);
    }

    bool has_window() const { return window_ != nullptr; }

    // The parts of one transfer that for_each_part(add) calls add(Part) for, those in one piece as one; good
    // until the next list.
    template <typename ForEachPart>
    std::span<const Part> list(ForEachPart&& for_each_part) {
        std::size_t count = 0;
        for_each_part([&](Part part) {
            if (count > 0 && parts_[count - 1].data + parts_[count - 1].bytes == part.data) {
                parts_[count - 1].bytes += part.bytes;
            } else {
                parts_[count++] = part;
            }
        });
        return parts_.first(count);
    }

    void deliver() const {
        for (int rank = 0; rank < map_.ranks(); ++rank)
            copy_bytes(exchange_.recv_from(rank), place_of(rank), exchange_.max_block);
    }

  private:
    // The place in the order of a rank that is that many behind the first of node 0.
    std::size_t index(int sorted) const {
        const int place = sorted - map_.begin_of(ring_.home);
        return static_cast<std::size_t>(place < 0 ? place + map_.ranks() : place);
    }

    const Exchange& exchange_;
    Wire& wire_;
    NodeWindow* const window_; // null: messages inside the node
    const NodeMap& map_;
    const Group own_node_;
    const Ring ring_;
    std::byte* const data_;
    const std::span<Part> parts_;
};

// What is around every such allgather: its own block, memory, and all blocks to their places at the end.
// `gather(order)` does the rest.
template <typename Gather>
Status in_node_order(const Exchange& exchange, Context& context, Gather&& gather) {
    copy_contribution(exchange, exchange.recv_from(exchange.group.rank));
    const auto scratch =
        patterns::node_order_scratch_bytes(exchange.group.size, exchange.max_block, context.parameters);
    if (scratch == 0) return {}; // alone, or nothing to gather
    if (!context.workspace.has(scratch)) return {MPI_ERR_NO_MEM};
    NodeOrder order(exchange, context);
    const Status status = gather(order);
    order.deliver();
    return status;
}

} // namespace switchyard::algorithms::allgather
