// The workspace of padded_bruck.
#pragma once

#include "algorithms/alltoall/zero_rotation_bruck_scratch.hpp"
#include "algorithms/block.hpp"
#include "algorithms/patterns/packed_sizes.hpp"
#include "algorithms/transport/messages/direct_blocks_scratch.hpp"
#include "padded_alltoall_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

// A slot of a padded buffer that begins with the size of its block.
struct SizedSlots {
    std::size_t size_bytes, block_bytes;
    // `block`: the bound of a forwarded block, forwarded_bound().
    explicit SizedSlots(std::size_t block) : size_bytes(patterns::narrowest(block)), block_bytes(block) {}
    std::size_t bytes() const { return size_bytes + block_bytes; }
};

// The two padded buffers, the place of each block in them, and the workspace of the uniform exchange.
inline std::size_t padded_bruck_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                              const Parameters& parameters) {
    const bool has_sizes = sends_directly(parameters);
    const std::size_t slot =
        has_sizes ? SizedSlots(forwarded_bound(max_block, parameters)).bytes() : max_block;
    if (padded_bytes(shape.ranks, slot) == 0) return 0; // nothing travels
    return direct_blocks_scratch_bytes(shape.ranks, parameters) +
           padded_alltoall_scratch_bytes(shape, slot, parameters) +
           Workspace::rounded(static_cast<std::size_t>(shape.ranks) * sizeof(Block)) +
           alltoall::zero_rotation_bruck_scratch_bytes(shape, slot, parameters);
}

} // namespace switchyard::algorithms::alltoallv
