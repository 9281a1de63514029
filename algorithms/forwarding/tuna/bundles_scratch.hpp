// The workspace of an exchange of bundles inside a node (bundles.hpp): exact where all nodes are equal,
// enough for any node where nodes differ.
#pragma once

#include "algorithms/block.hpp"
#include "algorithms/forwarding/tuna_scratch.hpp"

#include <algorithm>
#include <cstddef>

namespace switchyard::algorithms::forwarding {

// A node of `ranks` ranks. There are `nodes` nodes, and the largest node has `largest` ranks.
struct NodeShape {
    int ranks, nodes, largest;
};

// Calls measure(NodeShape) for every number of ranks that a node may have. Returns the largest result.
template <typename Measure>
std::size_t most_of_nodes(const GroupShape& shape, Measure&& measure) {
    const int largest = shape.ranks_per_node;
    if (shape.ranks == shape.nodes * largest) return measure(NodeShape{largest, shape.nodes, largest});
    std::size_t most = 0;
    for (int ranks = 1; ranks <= largest; ++ranks)
        most = std::max(most, measure(NodeShape{ranks, shape.nodes, largest}));
    return most;
}

// The parameters of tuna as the exchange inside a node. A node may have fewer ranks than the radix.
inline Parameters inside_node(int ranks, const Parameters& parameters) {
    Parameters inner = parameters;
    if (std::int64_t& radix = inner[Parameter::radix]; !patterns::Radices(radix).is_list())
        radix = std::clamp<std::int64_t>(radix, 2, std::max(2, ranks));
    inner[Parameter::metadata] = static_cast<std::int64_t>(Metadata::fused);
    inner[Parameter::in_flight] = patterns::largest_batch;
    inner[Parameter::direct_from] = absent; // the bundles have a bound
    return inner;
}

// The outgoing and the incoming bundles of a group, their places, and where they arrived.
inline std::size_t bundle_buffers_scratch_bytes(int ranks, std::size_t most_bytes) {
    const auto count = static_cast<std::size_t>(ranks);
    return 2 * Workspace::rounded(count * most_bytes + spare_bytes) +
           2 * Workspace::rounded(count * sizeof(Block)) + Workspace::rounded(count * sizeof(std::byte*));
}

} // namespace switchyard::algorithms::forwarding
