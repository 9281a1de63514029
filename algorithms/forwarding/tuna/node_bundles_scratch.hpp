// The workspace of the intra-node phase that tuna_coalesced and tuna_staggered share (node_bundles.hpp).
#pragma once

#include "algorithms/transport/messages/part.hpp"
#include "bundles_scratch.hpp"
#include "carriers.hpp"

namespace switchyard::algorithms::forwarding {

// The bundle that one rank of a node sends to a carrier: blocks, each behind its size.
struct BundleLayout {
    std::size_t size_bytes;   // of one block size; 0: bundles do not say sizes
    std::size_t destinations; // at most
    std::size_t bytes;        // at most

    BundleLayout(const NodeShape& node, const patterns::FramedBlock& block)
        : size_bytes(block.size_bytes),
          destinations(static_cast<std::size_t>(most_destinations(node.ranks, node.nodes, node.largest))),
          bytes(destinations * block.bytes()) {}
};

// Bundles, and the place of each block of each bundle; in addition the workspace of tuna while it exchanges
// the bundles, or of the exchange between nodes.
inline std::size_t node_bundles_scratch_of(const NodeShape& node, const patterns::FramedBlock& block,
                                           std::size_t tuna_bytes, std::size_t between_bytes) {
    const BundleLayout bundle(node, block);
    return bundle_buffers_scratch_bytes(node.ranks, bundle.bytes) +
           Workspace::rounded(static_cast<std::size_t>(node.ranks) * bundle.destinations * sizeof(Part)) +
           std::max(tuna_bytes, between_bytes);
}

// The workspace of the whole algorithm. `block`: a forwarded block. `between_bytes`: the workspace of the
// exchange between nodes, from the shape of a node, the bound of a forwarded block and the parameters.
template <typename BetweenBytes>
std::size_t bundles_scratch_bytes(const GroupShape& shape, const patterns::FramedBlock& block,
                                  const Parameters& parameters, BetweenBytes&& between_bytes) {
    if (shape.ranks < 2 || block.block_bytes == 0) return 0; // nothing travels
    return direct_blocks_scratch_bytes(shape.ranks, parameters) +
           most_of_nodes(shape, [&](const NodeShape& node) {
               const std::size_t tuna_bytes = tuna_scratch_bytes(node.ranks, BundleLayout(node, block).bytes,
                                                                 inside_node(node.ranks, parameters));
               return node_bundles_scratch_of(node, block, tuna_bytes,
                                              between_bytes(node, block.block_bytes, parameters));
           });
}

} // namespace switchyard::algorithms::forwarding
