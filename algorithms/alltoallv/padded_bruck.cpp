// Idea: blocks padded to the largest one are uniform, and Bruck's exchange serves uniform blocks in few rounds.
// Cost: K = ceil(log2 P) rounds of at most P / 2 padded blocks: K * alpha + beta * (K * P / 2) * N, with N the
//   largest block; no sizes travel.
// Needs: the largest block, agreed by all ranks (the caller does the allreduce); any number of ranks.
// Departs: the own block is not padded. Padding is not cleared.
// Source: two-phase Bruck paper, section 3.1, phases (a) to (c); no numbered algorithm.
#include "algorithms/alltoall/zero_rotation_bruck.hpp"
#include "padded.hpp"
#include "algorithms/patterns/scratch.hpp"

namespace switchyard::algorithms::alltoallv {

Status padded_bruck(const Exchange& exchange, Context& context) {
    const int ranks = exchange.group.size;
    const std::size_t block = exchange.max_block;
    const std::size_t scratch = patterns::padded_bruck_scratch_bytes(ranks, block, context.parameters);
    if (scratch == 0) { // nothing travels, as all ranks know
        return copy_own_block(exchange);
    }
    if (!context.workspace.has(scratch)) {
        return {MPI_ERR_NO_MEM};
    }
    const std::size_t padded_bytes = patterns::padded_bytes(ranks, block);
    std::byte* const padded = context.workspace.take(padded_bytes).data();
    std::byte* const received = context.workspace.take(padded_bytes).data();
    const auto slots = context.workspace.take_array<Block>(static_cast<std::size_t>(ranks));
    for (std::size_t i = 0; i < slots.size(); ++i) {
        slots[i] = {i * block, block};
    }
    slots[static_cast<std::size_t>(exchange.group.rank)].size = 0; // nothing is in it

    Status status = copy_own_block(exchange);
    pad(exchange, padded); // phase (a)
    const Exchange uniform{exchange.group, padded, slots, received, slots, block};
    const Status exchanged = alltoall::zero_rotation_bruck(uniform, context); // phase (b)
    status.keep(exchanged);
    if (exchanged.ok()) {
        scan(exchange, received); // phase (c)
    }
    return status;
}

} // namespace switchyard::algorithms::alltoallv
