// The workspace of tuna_coalesced: exact where all nodes are equal, enough for any node where nodes differ.
#pragma once

#include "tuna/node_bundles_scratch.hpp"

namespace switchyard::algorithms::forwarding {

// The messages between nodes of one batch.
struct CoalescedLayout {
    std::size_t nodes_at_once;
    std::size_t block_bytes;         // of a block in a message, at most; with its size where sizes travel
    std::size_t out_bytes, in_bytes; // for each node

    // `max_block`: the bound of a forwarded block, forwarded_bound().
    CoalescedLayout(const NodeShape& node, std::size_t max_block, const Parameters& parameters)
        : nodes_at_once(static_cast<std::size_t>(std::min<std::int64_t>(
              {parameters[Parameter::block_count], patterns::largest_batch, node.nodes - 1}))),
          block_bytes(max_block + (sends_directly(parameters) ? patterns::narrowest(max_block) : 0)),
          out_bytes(static_cast<std::size_t>(most_destinations(node.ranks, 1, node.largest)) *
                    static_cast<std::size_t>(node.ranks) * block_bytes),
          in_bytes(static_cast<std::size_t>(node.largest) * block_bytes) {}
};

inline std::size_t coalesced_between_bytes(const NodeShape& node, std::size_t max_block,
                                           const Parameters& parameters) {
    const CoalescedLayout layout(node, max_block, parameters);
    return Workspace::rounded(layout.nodes_at_once * layout.out_bytes + spare_bytes) +
           Workspace::rounded(layout.nodes_at_once * layout.in_bytes);
}

inline std::size_t tuna_coalesced_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                                const Parameters& parameters) {
    const std::size_t bound = forwarded_bound(max_block, parameters);
    return bundles_scratch_bytes(shape, patterns::FramedBlock::with_size(bound), parameters,
                                 coalesced_between_bytes);
}

} // namespace switchyard::algorithms::forwarding
