// How much scratch memory the algorithms take that know nodes: exactly where all nodes are equal, and enough
// for any of them where not.
#pragma once

#include "algorithms/block.hpp"
#include "algorithms/patterns/batches.hpp"
#include "algorithms/patterns/carriers.hpp"
#include "algorithms/patterns/packed_sizes.hpp"
#include "algorithms/patterns/scratch.hpp"

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

// Bundles out and in with their places, destinations, and where each block of each bundle lies.
inline std::size_t bundles_scratch_bytes(const NodeShape& node, std::size_t max_block) {
    const BundleLayout bundle(node, max_block);
    const auto ranks = static_cast<std::size_t>(node.ranks);
    return 2 * Workspace::rounded(ranks * bundle.bytes) + 2 * Workspace::rounded(ranks * sizeof(Block)) +
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

} // namespace switchyard::algorithms::patterns
