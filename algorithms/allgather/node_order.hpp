// Memory in node order, for allgather algorithms that know nodes. Where the ranks of each node are neighbours,
// and the receive buffer has no gaps, blocks lie in the receive buffer, sorted by node. Otherwise they lie in
// scratch memory: first the blocks of the own node, then those of the nodes up the ring. The blocks of
// neighbouring nodes touch, except for the last and the first node in the receive buffer. Blocks may differ in
// size. Each rank decides by itself where its blocks lie: its messages are the same either way.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/transport/memory/node_window.hpp"
#include "blocks_of.hpp"
#include "node_order_scratch.hpp"

namespace switchyard::algorithms::allgather {

// The nodes of a map, or the regions of a node, as a ring with the place of one rank.
struct Ring {
    const NodeMap& map;
    const int home, self; // the rank's node, and its place there

    Ring(const NodeMap& nodes, int rank)
        : map(nodes), home(nodes.node_of(rank)), self(nodes.local_rank(rank)) {}

    int nodes() const { return map.nodes(); }
    int up(int distance) const { return (home + distance) % nodes(); }
    int down(int distance) const { return (home - distance + nodes()) % nodes(); }
    std::span<const int> near_ranks() const { return map.ranks_of(home); }

    // The smallest base in which node numbers have as few digits as in base Q, with Q the
    // ranks of the largest node.
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
    // `block`: the mean of all blocks.
    NodeOrder(const Exchange& exchange, Context& context, std::size_t block)
        : exchange_(exchange), wire_(context.wire), window_(context.intra_window()),
          map_(*exchange.group.node_map), own_node_(exchange.group.own_node()),
          ring_(map_, exchange.group.rank), received_in_order_(is_in_order(exchange, map_)),
          data_(received_in_order_
                    ? exchange.recv_base
                    : context.workspace.take(static_cast<std::size_t>(map_.ranks()) * block).data()),
          offsets_(context.workspace.take_array<std::size_t>(node_order_offsets(map_.ranks()))),
          parts_(context.workspace.take_array<Part>(node_order_parts(map_.ranks()))) {
        lay_out();
        if (!received_in_order_) copy_contribution(exchange, block_of(exchange.group.rank).data);
    }

    const NodeMap& map() const { return map_; }
    const Group& own_node() const { return own_node_; }
    int nodes() const { return map_.nodes(); }
    const Ring& ring() const { return ring_; }
    int node_up(int distance) const { return ring_.up(distance); }
    int node_down(int distance) const { return ring_.down(distance); }

    // The block of `rank`.
    Part block_of(int rank) const {
        return {data_ + offsets_[index(map_.begin_of(map_.node_of(rank)) + map_.local_rank(rank))],
                exchange_.recv_size(rank)};
    }
    // Adds the blocks of the nodes first <= distance < last up the ring.
    template <typename Add>
    void add_nodes(int first, int last, Add&& add) const {
        for (int distance = first; distance < last; ++distance) {
            const auto ranks = map_.ranks_of(node_up(distance));
            const Part begin = block_of(ranks.front()), end = block_of(ranks.back());
            add(Part{begin.data, static_cast<std::size_t>(end.data - begin.data) + end.bytes});
        }
    }

    // Dissemination among the near ranks of a ring. Calls for_each_part(place there, add), which calls
    // add(Part) for each part that this rank has before. All near ranks give the same parts.
    template <typename ForEachPart>
    Status gather_near(const Ring& ring, ForEachPart&& for_each_part) {
        wire_.enter(Phase::data);
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
    // The same among all ranks of the node, through its window or by messages. `place
    // there` is the local rank.
    template <typename ForEachPart>
    Status gather_in_node(ForEachPart&& for_each_part) {
        if (window_ == nullptr) return gather_near(ring_, for_each_part);
        wire_.enter(Phase::intra);
        return window_->gather(for_each_part);
    }

    bool has_window() const { return window_ != nullptr; }

    // The parts of one transfer: for_each_part(add) calls add(Part) for each of them.
    // Valid until the next list.
    template <typename ForEachPart>
    std::span<const Part> list(ForEachPart&& for_each_part) {
        for_each_part([&](Part part) { parts_.add(part); });
        return parts_.take();
    }

    void deliver() const {
        wire_.enter(Phase::rearrange);
        for (int rank = received_in_order_ ? map_.ranks() : 0; rank < map_.ranks(); ++rank) {
            const Part block = block_of(rank);
            copy_bytes(exchange_.recv_from(rank), block.data, block.bytes);
        }
    }

  private:
    // Whether the receive buffer has the blocks of all ranks without gaps, sorted by node.
    static bool is_in_order(const Exchange& exchange, const NodeMap& map) {
        const Block* before = nullptr;
        for (int node = 0; node < map.nodes(); ++node)
            for (const int rank : map.ranks_of(node)) {
                const Block& block = exchange.recv[static_cast<std::size_t>(rank)];
                if (before != nullptr && block.offset != before->offset + before->size) return false;
                before = &block;
            }
        return true;
    }
    void lay_out() {
        std::size_t place = 0, end = 0;
        for (int distance = 0; distance < nodes(); ++distance)
            for (const int rank : map_.ranks_of(node_up(distance))) {
                const Block& received = exchange_.recv[static_cast<std::size_t>(rank)];
                offsets_[place++] = received_in_order_ ? received.offset : end;
                end += received.size;
            }
    }
    // The place in node order of the rank with that place in a list that starts with node 0.
    std::size_t index(int sorted) const {
        const int place = sorted - map_.begin_of(ring_.home);
        return static_cast<std::size_t>(place < 0 ? place + map_.ranks() : place);
    }

    const Exchange& exchange_;
    Wire& wire_;
    NodeWindow* const window_; // null: the ranks of the node use messages
    const NodeMap& map_;
    const Group own_node_;
    const Ring ring_;
    const bool received_in_order_;
    std::byte* const data_;
    const std::span<std::size_t> offsets_; // of the blocks, in node order
    PartList parts_;
};

// The whole algorithm around gather(order): the own block, the workspace, and at the end
// all blocks to their places.
template <typename Gather>
Status in_node_order(const Exchange& exchange, Context& context, Gather&& gather) {
    copy_contribution(exchange, exchange.recv_from(exchange.group.rank));
    const std::size_t block = mean_block(exchange);
    const auto scratch = node_order_scratch_bytes(exchange.group.size, block, context.parameters);
    if (scratch == 0) return {}; // one rank, or empty blocks
    if (!context.workspace.has(scratch)) return Fault::no_memory;
    NodeOrder order(exchange, context, block);
    const Status status = gather(order);
    order.deliver();
    return status;
}

} // namespace switchyard::algorithms::allgather
