// How much scratch memory the algorithms take that know nodes: exactly where all nodes are equal, and enough
// for any of them where not.
#pragma once

#include "algorithms/block.hpp"
#include "batches.hpp"
#include "carriers.hpp"
#include "node_hops.hpp"
#include "packed_sizes.hpp"
#include "scratch.hpp"

#include <algorithm>
#include <cstddef>

namespace switchyard::algorithms::patterns {

// A node of `ranks` ranks, beside others.
struct NodeShape {
    int ranks, nodes, largest;
};

// Calls measure(NodeShape) for every number of ranks that some node may have; the most of what it says.
template <typename Measure>
std::size_t most_of_nodes(const GroupShape& shape, Measure&& measure) {
    const int largest = shape.ranks_per_node;
    if (shape.ranks == shape.nodes * largest) return measure(NodeShape{largest, shape.nodes, largest});
    std::size_t most = 0;
    for (int ranks = 1; ranks <= largest; ++ranks)
        most = std::max(most, measure(NodeShape{ranks, shape.nodes, largest}));
    return most;
}

// tuna's parameters where it is the inner exchange of a node: a node may have fewer ranks than the radix.
inline Parameters inside_node(int ranks, const Parameters& parameters) {
    Parameters inner = parameters;
    inner[Parameter::radix] = std::clamp<std::int64_t>(parameters[Parameter::radix], 2, std::max(2, ranks));
    inner[Parameter::metadata] = static_cast<std::int64_t>(Metadata::fused);
    inner[Parameter::in_flight] = largest_batch;
    return inner;
}

// Bundles of one node out and in, with their places.
inline std::size_t bundle_buffers_scratch_bytes(int ranks, std::size_t most_bytes) {
    const auto count = static_cast<std::size_t>(ranks);
    return 2 * Workspace::rounded(count * most_bytes) + 2 * Workspace::rounded(count * sizeof(Block));
}

// ---- tuna_coalesced and tuna_staggered ------------------------------------------------------------------

// What a carrier is sent by one rank of its node: sizes, then blocks.
struct BundleLayout {
    std::size_t size_bytes;   // of one block size
    std::size_t destinations; // at most
    std::size_t bytes;        // at most

    BundleLayout(const NodeShape& node, std::size_t max_block)
        : size_bytes(narrowest(max_block)),
          destinations(static_cast<std::size_t>(most_destinations(node.ranks, node.nodes, node.largest))),
          bytes(destinations * (size_bytes + max_block)) {}
};

struct Destination {
    int rank, distance;
};

// Bundles, destinations, and where each block of each bundle lies.
inline std::size_t bundles_scratch_bytes(const NodeShape& node, std::size_t max_block) {
    const BundleLayout bundle(node, max_block);
    const auto ranks = static_cast<std::size_t>(node.ranks);
    return bundle_buffers_scratch_bytes(node.ranks, bundle.bytes) +
           Workspace::rounded(bundle.destinations * sizeof(Destination)) +
           Workspace::rounded(ranks * bundle.destinations * sizeof(Part));
}

inline std::size_t inner_tuna_scratch_bytes(const NodeShape& node, std::size_t bundle_bytes,
                                            const Parameters& parameters) {
    return tuna_scratch_bytes(node.ranks, bundle_bytes, inside_node(node.ranks, parameters));
}

// The messages between nodes of one batch.
struct CoalescedLayout {
    std::size_t nodes_at_once, out_bytes, in_bytes; // bytes for each of those nodes

    CoalescedLayout(const NodeShape& node, std::size_t max_block, const Parameters& parameters)
        : nodes_at_once(static_cast<std::size_t>(
              std::min<std::int64_t>({parameters[Parameter::block_count], largest_batch, node.nodes - 1}))),
          out_bytes(static_cast<std::size_t>(most_destinations(node.ranks, 1, node.largest)) *
                    static_cast<std::size_t>(node.ranks) * max_block),
          in_bytes(static_cast<std::size_t>(node.largest) * max_block) {}
};

inline std::size_t coalesced_scratch_of(const NodeShape& node, std::size_t max_block,
                                        const Parameters& parameters) {
    const CoalescedLayout layout(node, max_block, parameters);
    const std::size_t between = Workspace::rounded(layout.nodes_at_once * layout.out_bytes) +
                                Workspace::rounded(layout.nodes_at_once * layout.in_bytes);
    return bundles_scratch_bytes(node, max_block) +
           std::max(between, inner_tuna_scratch_bytes(node, BundleLayout(node, max_block).bytes, parameters));
}

inline std::size_t tuna_coalesced_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                                const Parameters& parameters) {
    if (shape.ranks < 2 || max_block == 0) return 0; // nothing travels
    return most_of_nodes(
        shape, [&](const NodeShape& node) { return coalesced_scratch_of(node, max_block, parameters); });
}

inline std::size_t staggered_scratch_of(const NodeShape& node, std::size_t max_block,
                                        const Parameters& parameters) {
    return bundles_scratch_bytes(node, max_block) +
           inner_tuna_scratch_bytes(node, BundleLayout(node, max_block).bytes, parameters);
}

inline std::size_t tuna_staggered_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                                const Parameters& parameters) {
    if (shape.ranks < 2 || max_block == 0) return 0;
    return most_of_nodes(
        shape, [&](const NodeShape& node) { return staggered_scratch_of(node, max_block, parameters); });
}

// ---- node_aware -----------------------------------------------------------------------------------------

// Blocks travel between nodes as rows: what one source has for one lane of one node. All numbers are the most
// of any rank of a node.
struct NodeAwareLayout {
    std::size_t size_bytes;    // of one block size
    std::size_t row_bytes;     // sizes, then blocks
    std::size_t rows;          // of one offset and lane: one for each rank of the node that they come from
    std::size_t keys;          // offsets x lanes
    std::size_t lane_ranks;    // of this node in one lane
    std::size_t slots = 0;     // of the keys, whose rows wait at one rank
    std::size_t under_way = 0; // of the keys, in the messages between nodes that one rank has under way
    std::size_t first_bytes;   // what one rank of a node sends another in the first exchange
    std::size_t arrived_bytes = 0; // and one rank of a lane another after a hop

    NodeAwareLayout(const NodeShape& node, std::size_t max_block, const Parameters& parameters)
        : size_bytes(narrowest(max_block)), rows(static_cast<std::size_t>(node.largest)) {
        const NodeHops hops(node.nodes, node.largest, parameters[Parameter::radix],
                            parameters[Parameter::lanes]);
        const std::size_t block = size_bytes + max_block;
        row_bytes = static_cast<std::size_t>(hops.ranks_in(0, node.largest)) * block;
        keys = static_cast<std::size_t>(node.nodes) * static_cast<std::size_t>(hops.lanes());
        lane_ranks = static_cast<std::size_t>(hops.ranks_in(0, node.ranks));
        std::size_t first = 0;
        for (std::int64_t weight = 1; weight < node.nodes; weight *= hops.radix()) {
            std::size_t moved = 0, ended = 0;
            hops.for_each_charge(weight, hops.busiest(node.ranks), node.ranks, [&](int z, int) {
                first += static_cast<std::size_t>(hops.first_hops(weight, z));
                moved += static_cast<std::size_t>(hops.offsets(weight, z));
                ended += static_cast<std::size_t>(hops.last_hops(weight, z));
            });
            slots += moved;
            under_way = std::max(under_way, moved);
            arrived_bytes = std::max(arrived_bytes, rows * (ended * block + (moved - ended) * row_bytes));
        }
        first_bytes = block + first * row_bytes;
        slots = std::min(slots, keys);
    }

    std::size_t message_bytes() const { return under_way * rows * row_bytes; }
};

inline std::size_t waiting_rows_scratch_bytes(const NodeAwareLayout& layout) {
    return Workspace::rounded(layout.keys * sizeof(int)) +
           Workspace::rounded(layout.slots * layout.rows * sizeof(std::size_t)) +
           Workspace::rounded(layout.slots * layout.rows * layout.row_bytes);
}

// The inner exchange is direct where bundles are large, since forwarding them costs more than messages do, and
// has the fewest rounds where they are small.
inline Parameters node_aware_inner(int ranks, std::size_t bundle_bytes, const Parameters& parameters) {
    constexpr std::size_t small = 3072, large = 24576;
    std::int64_t radix = 2;
    while (bundle_bytes > small && (bundle_bytes < large ? radix * radix < ranks : radix < ranks)) ++radix;
    Parameters inner = parameters;
    inner[Parameter::radix] = radix;
    return inside_node(ranks, inner);
}

inline std::size_t node_aware_scratch_of(const NodeShape& node, std::size_t max_block,
                                         const Parameters& parameters) {
    const NodeAwareLayout layout(node, max_block, parameters);
    const auto exchanged = [&](int ranks, std::size_t bytes) {
        return tuna_scratch_bytes(ranks, bytes, node_aware_inner(ranks, bytes, parameters));
    };
    const auto lane_ranks = static_cast<int>(layout.lane_ranks);
    return Workspace::rounded(layout.lane_ranks * sizeof(int)) +
           bundle_buffers_scratch_bytes(node.ranks, layout.first_bytes) +
           bundle_buffers_scratch_bytes(lane_ranks, layout.arrived_bytes) +
           waiting_rows_scratch_bytes(layout) + 2 * Workspace::rounded(layout.message_bytes()) +
           std::max(exchanged(node.ranks, layout.first_bytes), exchanged(lane_ranks, layout.arrived_bytes));
}

inline std::size_t node_aware_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                            const Parameters& parameters) {
    if (shape.ranks < 2 || max_block == 0) return 0;
    return most_of_nodes(
        shape, [&](const NodeShape& node) { return node_aware_scratch_of(node, max_block, parameters); });
}

// ---- Allgather ------------------------------------------------------------------------------------------

// No message has more pieces than there are blocks.
inline std::size_t node_order_parts(int ranks) {
    return static_cast<std::size_t>(ranks);
}

// Everybody's blocks, and the places of the pieces of one message.
inline std::size_t node_order_scratch_bytes(const GroupShape& shape, std::size_t block, const Parameters&) {
    if (shape.ranks < 2 || block == 0) return 0;
    return Workspace::rounded(static_cast<std::size_t>(shape.ranks) * block) +
           Workspace::rounded(node_order_parts(shape.ranks) * sizeof(Part));
}

} // namespace switchyard::algorithms::patterns
