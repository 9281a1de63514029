// The workspace of tuna_staggered: exact where all nodes are equal, enough for any node where nodes differ.
#pragma once

#include "tuna/node_bundles_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

inline std::size_t tuna_staggered_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                                const Parameters& parameters) {
    if (shape.ranks < 2 || max_block == 0) return 0; // nothing travels
    return most_of_nodes(shape, [&](const NodeShape& node) {
        return node_bundles_scratch_bytes(node, max_block) +
               inner_tuna_scratch_bytes(node, max_block, parameters);
    });
}

} // namespace switchyard::algorithms::alltoallv
