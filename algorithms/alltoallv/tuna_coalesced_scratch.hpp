// The workspace of tuna_coalesced: exact where all nodes are equal, enough for any node where nodes differ.
#pragma once

#include "tuna/node_bundles_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

// The messages between nodes of one batch.
struct CoalescedLayout {
    std::size_t nodes_at_once, out_bytes, in_bytes; // bytes for each node

    CoalescedLayout(const NodeShape& node, std::size_t max_block, const Parameters& parameters)
        : nodes_at_once(static_cast<std::size_t>(std::min<std::int64_t>(
              {parameters[Parameter::block_count], patterns::largest_batch, node.nodes - 1}))),
          out_bytes(static_cast<std::size_t>(most_destinations(node.ranks, 1, node.largest)) *
                    static_cast<std::size_t>(node.ranks) * max_block),
          in_bytes(static_cast<std::size_t>(node.largest) * max_block) {}
};

inline std::size_t tuna_coalesced_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                                const Parameters& parameters) {
    if (shape.ranks < 2 || max_block == 0) return 0; // nothing travels
    return most_of_nodes(shape, [&](const NodeShape& node) {
        const CoalescedLayout layout(node, max_block, parameters);
        const std::size_t between = Workspace::rounded(layout.nodes_at_once * layout.out_bytes) +
                                    Workspace::rounded(layout.nodes_at_once * layout.in_bytes);
        return node_bundles_scratch_bytes(node, max_block) +
               std::max(between, inner_tuna_scratch_bytes(node, max_block, parameters));
    });
}

} // namespace switchyard::algorithms::alltoallv
