// Idea: Bruck's exchange with blocks going down instead of up, numbered by how far: their last place is then
//   the right one, and the rotation at the end is spared.
// Cost: K = ceil(log2 P) steps of at most P / 2 blocks: K * alpha + beta * D blocks, D the number of ones in
//   1 .. P - 1; copies of all blocks before, and of all sent and received ones on the way.
// Needs: blocks of one size, and memory the processor can copy; any number of ranks.
// Departs: the send buffer is not ours to write: blocks are received into scratch memory instead of S.
// Source: two-phase Bruck paper, section 2.1, "Modified Bruck", phases 1 and 2.
#include "algorithms/algorithm.hpp"
#include "blocks.hpp"
#include "algorithms/patterns/scratch.hpp"

namespace switchyard::algorithms::alltoall {

Status modified_bruck(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    const std::size_t block = exchange.max_block;
    if (!context.workspace.has(patterns::packed_bruck_scratch_bytes(group.size, block, context.parameters))) {
        return {MPI_ERR_NO_MEM};
    }
    PackedBlocks messages(exchange, context, patterns::packed_bruck_message_bytes(group.size, block));
    const auto r = [&](int i) { return place(exchange, i); };

    // Phase 1, local shift: R[i] = S[2p - i], here with R[i + p] and so S[p - i].
    Status status = copy_own_block(exchange);
    for (int i = 1; i < group.size; ++i) {
        copy_bytes(r(i), first_place(exchange, i), block);
    }

    // Phase 2: in each step all R[i + p] where bit k of i is 1 go to rank p - 2^k, and those from p + 2^k
    // replace them.
    for (patterns::Round step(group.size, 2); step.valid(); step.advance()) {
        status.keep(messages.exchange(step, group.down(step.distance()), group.up(step.distance()), r, r));
    }
    return status;
}

} // namespace switchyard::algorithms::alltoall
