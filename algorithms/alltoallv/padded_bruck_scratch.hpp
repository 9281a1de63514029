// The workspace of padded_bruck.
#pragma once

#include "algorithms/alltoall/zero_rotation_bruck_scratch.hpp"
#include "algorithms/block.hpp"
#include "padded_alltoall_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

// The two padded buffers, the place of each block in them, and the workspace of the uniform exchange.
inline std::size_t padded_bruck_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                              const Parameters& parameters) {
    if (padded_bytes(shape.ranks, max_block) == 0) return 0; // nothing travels
    return padded_alltoall_scratch_bytes(shape, max_block, parameters) +
           Workspace::rounded(static_cast<std::size_t>(shape.ranks) * sizeof(Block)) +
           alltoall::zero_rotation_bruck_scratch_bytes(shape, max_block, parameters);
}

} // namespace switchyard::algorithms::alltoallv
