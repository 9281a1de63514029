// The workspace of node_aware: exact where all nodes are equal, enough for any node where nodes differ.
#pragma once

#include "algorithms/transport/messages/part.hpp"
#include "node_aware/node_hops.hpp"
#include "tuna/bundles_scratch.hpp"

namespace switchyard::algorithms::forwarding {

// A row is all blocks of one source for one lane of one node. A key is an offset and a lane. All numbers are
// the largest of any rank of a node.
struct NodeAwareShape {
    std::size_t rows;          // of one key: one row for each rank of the source node
    std::size_t row_blocks;    // blocks of a row
    std::size_t lane_ranks;    // ranks of this node in one lane
    std::size_t slots = 0;     // keys whose rows come to wait at one rank; a key that comes twice counts once
    std::size_t handed_on = 0; // keys whose rows come from other ranks of the lane, to wait for a later hop
    std::size_t under_way = 0; // keys in the messages between nodes that one rank has under way
    std::size_t first_blocks;  // from one rank of a node to another in the first exchange
    std::size_t arrived_blocks = 0; // from one rank of a lane to another after a hop

    NodeAwareShape(const NodeShape& node, const Parameters& parameters)
        : rows(static_cast<std::size_t>(node.largest)) {
        const NodeHops hops(node.nodes, node.largest, parameters[Parameter::radix],
                            parameters[Parameter::lanes]);
        row_blocks = static_cast<std::size_t>(hops.ranks_in(0, node.largest));
        lane_ranks = static_cast<std::size_t>(hops.ranks_in(0, node.ranks));
        std::size_t first = 0, kept = 0;
        for (std::int64_t weight = 1; weight < node.nodes; weight = hops.next_weight(weight)) {
            std::size_t moved = 0, ended = 0;
            hops.for_each_charge(weight, hops.busiest(node.ranks), node.ranks, [&](int z, int) {
                first += static_cast<std::size_t>(hops.first_hops(weight, z));
                moved += static_cast<std::size_t>(hops.offsets(weight, z));
                ended += static_cast<std::size_t>(hops.last_hops(weight, z));
            });
            kept += moved;
            if (weight > 1) handed_on += moved;
            under_way = std::max(under_way, moved);
            arrived_blocks = std::max(arrived_blocks, rows * (ended + (moved - ended) * row_blocks));
        }
        first_blocks = 1 + first * row_blocks;
        const auto keys = static_cast<std::size_t>(node.nodes) * static_cast<std::size_t>(hops.lanes());
        slots = std::min(kept, keys);
    }
};

// The same in bytes.
struct NodeAwareLayout {
    std::size_t size_bytes;    // of one block size; 0: messages do not say sizes
    std::size_t block_bytes;   // of a block with its size, at most
    std::size_t first_bytes;   // of a bundle of the first exchange
    std::size_t arrived_bytes; // of a bundle after a hop
    std::size_t message_bytes; // of the messages between nodes that one rank has under way
    std::size_t waiting_bytes; // of rows that were handed on

    // `block`: a forwarded block.
    NodeAwareLayout(const NodeAwareShape& shape, const patterns::FramedBlock& block)
        : size_bytes(block.size_bytes), block_bytes(block.bytes()),
          first_bytes(shape.first_blocks * block_bytes), arrived_bytes(shape.arrived_blocks * block_bytes),
          message_bytes(shape.under_way * shape.rows * shape.row_blocks * block_bytes),
          waiting_bytes(shape.handed_on * shape.rows * shape.row_blocks * block_bytes) {}
};

// The radices of the exchange inside the node, from small bundles to large ones.
inline constexpr std::size_t inner_radices = 3;

// Small bundles are forwarded, to have few rounds. Large bundles go directly, since forwarding them costs
// more than messages do. A large direct_from bounds a bundle, but says little about its size: most blocks are
// smaller. Returns the number of the radix.
inline std::size_t node_aware_inner(std::size_t bundle_bytes, const Parameters& parameters) {
    constexpr std::size_t small = 3072, large = 24576, likely_block = 1024;
    if (const std::size_t bound = forwarded_bound(0, parameters); bound > likely_block)
        bundle_bytes = bundle_bytes / bound * likely_block;
    return bundle_bytes <= small ? 0 : bundle_bytes < large ? 1 : 2;
}

// The parameters of tuna with that radix, for a group of `ranks` ranks.
inline Parameters node_aware_inner_parameters(int ranks, std::size_t number, const Parameters& parameters) {
    std::int64_t radix = 2;
    if (number == 1)
        while (radix * radix < ranks) ++radix;
    if (number == 2) radix = std::max(ranks, 2);
    Parameters inner = parameters;
    inner[Parameter::radix] = radix;
    return inside_node(ranks, inner);
}

// The workspace on a node of `ranks` ranks. `inner`: the workspace of tuna for the
// bundles that need more of it.
inline std::size_t node_aware_scratch_of(int ranks, const NodeAwareShape& shape,
                                         const NodeAwareLayout& layout, std::size_t inner) {
    const auto lane_ranks = static_cast<int>(shape.lane_ranks);
    return bundle_buffers_scratch_bytes(ranks, layout.first_bytes) +
           bundle_buffers_scratch_bytes(lane_ranks, layout.arrived_bytes) +
           Workspace::rounded(shape.slots * shape.rows * sizeof(Part)) +
           Workspace::rounded(layout.waiting_bytes + spare_bytes) +
           2 * Workspace::rounded(layout.message_bytes + spare_bytes) + inner;
}

// `block`: a forwarded block.
inline std::size_t node_aware_scratch_bytes_of(const GroupShape& shape, const patterns::FramedBlock& block,
                                               const Parameters& parameters) {
    if (shape.ranks < 2 || block.block_bytes == 0) return 0; // nothing travels
    const auto inner = [&](int ranks, std::size_t bytes) {
        const std::size_t number = node_aware_inner(bytes, parameters);
        return tuna_scratch_bytes(ranks, bytes, node_aware_inner_parameters(ranks, number, parameters));
    };
    return direct_blocks_scratch_bytes(shape.ranks, parameters) +
           most_of_nodes(shape, [&](const NodeShape& node) {
               const NodeAwareShape counted(node, parameters);
               const NodeAwareLayout layout(counted, block);
               const auto lane_ranks = static_cast<int>(counted.lane_ranks);
               return node_aware_scratch_of(
                   node.ranks, counted, layout,
                   std::max(inner(node.ranks, layout.first_bytes), inner(lane_ranks, layout.arrived_bytes)));
           });
}

inline std::size_t node_aware_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                            const Parameters& parameters) {
    const std::size_t bound = forwarded_bound(max_block, parameters);
    return node_aware_scratch_bytes_of(shape, patterns::FramedBlock::with_size(bound), parameters);
}

} // namespace switchyard::algorithms::forwarding
