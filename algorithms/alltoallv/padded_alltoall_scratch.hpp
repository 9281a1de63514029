// The workspace of padded_alltoall.
#pragma once

#include "algorithms/traits.hpp"
#include "algorithms/workspace.hpp"

#include <cstddef>

namespace switchyard::algorithms::alltoallv {

// Bytes of a buffer in which the block of every rank is as long as the largest block.
inline std::size_t padded_bytes(int ranks, std::size_t max_block) {
    return ranks > 1 ? static_cast<std::size_t>(ranks) * max_block : 0;
}

// A padded buffer to send and a padded buffer to receive.
inline std::size_t padded_alltoall_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                                 const Parameters&) {
    return 2 * Workspace::rounded(padded_bytes(shape.ranks, max_block));
}

} // namespace switchyard::algorithms::alltoallv
