// The workspace of node_aware: exact where all nodes are equal, enough for any node where nodes differ.
#pragma once

#include "node_aware/node_hops.hpp"
#include "tuna/bundles_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

// A row is all blocks of one source for one lane of one node. A key is an offset and a lane. All numbers are the
// largest of any rank of a node.
struct NodeAwareLayout {
    std::size_t size_bytes;        // of one block size
    std::size_t row_bytes;         // sizes, then blocks
    std::size_t rows;              // of one key: one row for each rank of the source node
    std::size_t keys;              // offsets x lanes
    std::size_t lane_ranks;        // ranks of this node in one lane
    std::size_t kept = 0;          // keys whose rows come to wait at one rank
    std::size_t slots = 0;         // the same, where a key that comes twice counts once
    std::size_t under_way = 0;     // keys in the messages between nodes that one rank has under way
    std::size_t first_bytes;       // from one rank of a node to another in the first exchange
    std::size_t arrived_bytes = 0; // from one rank of a lane to another after a hop

    NodeAwareLayout(const NodeShape& node, std::size_t max_block, const Parameters& parameters)
        : size_bytes(patterns::narrowest(max_block)), rows(static_cast<std::size_t>(node.largest)) {
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
            kept += moved;
            under_way = std::max(under_way, moved);
            arrived_bytes = std::max(arrived_bytes, rows * (ended * block + (moved - ended) * row_bytes));
        }
        first_bytes = block + first * row_bytes;
        slots = std::min(kept, keys);
    }

    std::size_t message_bytes() const { return under_way * rows * row_bytes; }
};

inline std::size_t waiting_rows_scratch_bytes(const NodeAwareLayout& layout) {
    return Workspace::rounded(layout.keys * sizeof(int)) +
           Workspace::rounded(layout.slots * layout.rows * sizeof(Block)) +
           Workspace::rounded(layout.kept * layout.rows * layout.row_bytes);
}

// The exchange inside the node forwards small bundles, to have few rounds. It sends large bundles directly,
// since forwarding them costs more than messages do. A large direct_from bounds a bundle, but says little of its
// size: most blocks are smaller.
inline Parameters node_aware_inner(int ranks, std::size_t bundle_bytes, const Parameters& parameters) {
    constexpr std::size_t small = 3072, large = 24576, likely_block = 1024;
    if (const std::size_t bound = forwarded_bound(0, parameters); bound > likely_block)
        bundle_bytes = bundle_bytes / bound * likely_block;
    std::int64_t radix = 2;
    while (bundle_bytes > small && (bundle_bytes < large ? radix * radix < ranks : radix < ranks)) ++radix;
    Parameters inner = parameters;
    inner[Parameter::radix] = radix;
    return inside_node(ranks, inner);
}

// `max_block`: the bound of a forwarded block, forwarded_bound().
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
    const std::size_t block = forwarded_bound(max_block, parameters);
    if (shape.ranks < 2 || block == 0) return 0; // nothing travels
    return straight_blocks_scratch_bytes(shape.ranks, parameters) +
           most_of_nodes(
               shape, [&](const NodeShape& node) { return node_aware_scratch_of(node, block, parameters); });
}

} // namespace switchyard::algorithms::alltoallv
