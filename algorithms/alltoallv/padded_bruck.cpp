// Idea: blocks padded to the largest block are uniform, and Bruck's exchange sends uniform blocks in few
//   rounds.
// Cost: K = ceil(log2 P) rounds of at most P / 2 padded blocks: K * alpha + beta * (K * P / 2) * N, N the
//   largest block. No sizes travel.
// Needs: the largest block, agreed by all ranks (the caller does the allreduce); any number of ranks.
// Departs: the own block is not padded. Padding is not cleared.
// Source: two-phase Bruck paper, section 3.1, phases (a) to (c); no numbered algorithm.
#include "algorithms/alltoall/zero_rotation_bruck.hpp"
#include "padded.hpp"
#include "padded_bruck_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

Status padded_bruck(const Exchange& exchange, Context& context) {
    const std::size_t block = exchange.max_block;
    const auto scratch = padded_bruck_scratch_bytes(exchange.group.size, block, context.parameters);
    return exchange_padded(exchange, context, scratch, [&](const std::byte* padded, std::byte* received) {
        const auto slots = context.workspace.take_array<Block>(static_cast<std::size_t>(exchange.group.size));
        for (std::size_t i = 0; i < slots.size(); ++i) {
            slots[i] = {i * block, block};
        }
        slots[static_cast<std::size_t>(exchange.group.rank)].size = 0; // the own block is not in it
        const Exchange uniform{exchange.group, padded, slots, received, slots, block};
        return alltoall::zero_rotation_bruck(uniform, context);
    });
}

} // namespace switchyard::algorithms::alltoallv
