// The workspace of tuna_staggered: exact where all nodes are equal, enough for any node where nodes differ.
#pragma once

#include "algorithms/forwarding/tuna/node_bundles_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

using forwarding::NodeShape;

// The messages of one batch.
struct StaggeredLayout {
    std::size_t at_once;
    std::size_t message_bytes =
        0; // where messages say the size of their block; without sizes blocks need no room

    // `max_block`: the bound of a forwarded block, forwarded_bound().
    StaggeredLayout(int nodes, int largest, std::size_t max_block, const Parameters& parameters)
        : at_once(static_cast<std::size_t>(
              std::min({parameters[Parameter::block_count], std::int64_t{patterns::largest_batch},
                        static_cast<std::int64_t>(nodes - 1) * largest}))) {
        if (sends_directly(parameters)) message_bytes = patterns::narrowest(max_block) + max_block;
    }
};

inline std::size_t staggered_between_bytes(const NodeShape& node, std::size_t max_block,
                                           const Parameters& parameters) {
    const StaggeredLayout layout(node.nodes, node.largest, max_block, parameters);
    return Workspace::rounded(layout.at_once * layout.message_bytes);
}

inline std::size_t tuna_staggered_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                                const Parameters& parameters) {
    const std::size_t bound = forwarded_bound(max_block, parameters);
    return forwarding::bundles_scratch_bytes(shape, patterns::FramedBlock::with_size(bound), parameters,
                                             staggered_between_bytes);
}

} // namespace switchyard::algorithms::alltoallv
