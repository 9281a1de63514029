// The workspace of the algorithms that node_order.hpp serves.
#pragma once

#include "algorithms/traits.hpp"
#include "algorithms/transport/messages/part.hpp"
#include "algorithms/workspace.hpp"

#include <cstddef>

namespace switchyard::algorithms::allgather {

// The most parts of one message: a block lies in one part.
inline std::size_t node_order_parts(int ranks) {
    return static_cast<std::size_t>(ranks);
}

// Where blocks begin.
inline std::size_t node_order_offsets(int ranks) {
    return static_cast<std::size_t>(ranks);
}

// The blocks of all ranks, which take no memory where they lie in the receive buffer; their places, and the
// parts of one message. `block`: the mean of all blocks.
inline std::size_t node_order_scratch_bytes(const GroupShape& shape, std::size_t block, const Parameters&) {
    if (shape.ranks < 2 || block == 0) return 0; // nothing travels
    return Workspace::rounded(static_cast<std::size_t>(shape.ranks) * block) +
           Workspace::rounded(node_order_offsets(shape.ranks) * sizeof(std::size_t)) +
           Workspace::rounded(node_order_parts(shape.ranks) * sizeof(Part));
}

} // namespace switchyard::algorithms::allgather
