// The workspace of the Bruck variants that blocks.hpp serves.
#pragma once

#include "algorithms/patterns/radix.hpp"
#include "algorithms/traits.hpp"
#include "algorithms/transport/messages/part.hpp"
#include "algorithms/workspace.hpp"

#include <cstddef>

namespace switchyard::algorithms::alltoall {

inline std::size_t packed_bruck_message_bytes(int ranks, std::size_t block) {
    return static_cast<std::size_t>(patterns::most_blocks(ranks, 2)) * block;
}

// Basic and modified Bruck: an outgoing and an incoming message. A single block needs them too, because it
// arrives where the outgoing block lies.
inline std::size_t packed_bruck_scratch_bytes(const GroupShape& shape, std::size_t block, const Parameters&) {
    return 2 * Workspace::rounded(packed_bruck_message_bytes(shape.ranks, block));
}

// The variants with derived datatypes: a block for every other rank, and the parts of one message.
inline std::size_t typed_bruck_scratch_bytes(const GroupShape& shape, std::size_t block, const Parameters&) {
    return Workspace::rounded(static_cast<std::size_t>(shape.ranks - 1) * block) +
           Workspace::rounded(static_cast<std::size_t>(patterns::most_blocks(shape.ranks, 2)) * sizeof(Part));
}

} // namespace switchyard::algorithms::alltoall
