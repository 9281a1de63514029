// The workspace of the intra-node phase that tuna_coalesced and tuna_staggered share (node_bundles.hpp).
#pragma once

#include "algorithms/part.hpp"
#include "bundles_scratch.hpp"
#include "carriers.hpp"

namespace switchyard::algorithms::alltoallv {

// The bundle that one rank of a node sends to a carrier: blocks, each behind its size.
struct BundleLayout {
    std::size_t size_bytes;   // of one block size
    std::size_t destinations; // at most
    std::size_t bytes;        // at most

    BundleLayout(const NodeShape& node, std::size_t max_block)
        : size_bytes(patterns::narrowest(max_block)),
          destinations(static_cast<std::size_t>(most_destinations(node.ranks, node.nodes, node.largest))),
          bytes(destinations * (size_bytes + max_block)) {}
};

struct Destination {
    int rank, distance; // of its node
};

// Bundles, destinations, and the place of each block of each bundle.
inline std::size_t node_bundles_scratch_bytes(const NodeShape& node, std::size_t max_block) {
    const BundleLayout bundle(node, max_block);
    const auto ranks = static_cast<std::size_t>(node.ranks);
    return bundle_buffers_scratch_bytes(node.ranks, bundle.bytes) +
           Workspace::rounded(bundle.destinations * sizeof(Destination)) +
           Workspace::rounded(ranks * bundle.destinations * sizeof(Part));
}

// The workspace of tuna while it exchanges the bundles.
inline std::size_t inner_tuna_scratch_bytes(const NodeShape& node, std::size_t max_block,
                                            const Parameters& parameters) {
    return tuna_scratch_bytes(node.ranks, BundleLayout(node, max_block).bytes,
                              inside_node(node.ranks, parameters));
}

} // namespace switchyard::algorithms::alltoallv
