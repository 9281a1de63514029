// The workspace of zero_rotation_bruck.
#pragma once

#include "algorithms/patterns/radix.hpp"
#include "algorithms/traits.hpp"
#include "algorithms/workspace.hpp"

#include <cstddef>

namespace switchyard::algorithms::alltoall {

// Bytes of the largest message that is copied together. A block that travels alone needs no buffer.
inline std::size_t zero_rotation_bruck_message_bytes(int ranks, std::size_t block,
                                                     patterns::Radices radices) {
    const int most = patterns::most_blocks(ranks, radices);
    return most > 1 ? static_cast<std::size_t>(most) * block : 0;
}

// An outgoing and an incoming message.
inline std::size_t zero_rotation_bruck_scratch_in_base(int ranks, std::size_t block,
                                                       patterns::Radices radices) {
    return 2 * Workspace::rounded(zero_rotation_bruck_message_bytes(ranks, block, radices));
}

inline std::size_t zero_rotation_bruck_scratch_bytes(const GroupShape& shape, std::size_t block,
                                                     const Parameters&) {
    return zero_rotation_bruck_scratch_in_base(shape.ranks, block, 2);
}

} // namespace switchyard::algorithms::alltoall
