// Idea: Bruck's exchange with blocks that go down instead of up. Their last place is then their destination's
//   place, and no rotation is needed at the end.
// Cost: K = ceil(log2 P) steps of at most P / 2 blocks: K * alpha + beta * D blocks, D the number of ones in
//   1 .. P - 1. Copies of all blocks before, and of all sent and received blocks on the way.
// Needs: blocks of one size, and memory that the processor can copy; any number of ranks.
// Departs: we may not write the send buffer. Blocks are received into scratch memory instead of S.
// Source: two-phase Bruck paper, section 2.1, "Modified Bruck", phases 1 and 2.
#include "algorithms/algorithm.hpp"
#include "blocks.hpp"
#include "blocks_scratch.hpp"

namespace switchyard::algorithms::alltoall {

Status modified_bruck(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    const std::size_t block = exchange.max_block;
    if (!context.workspace.has(packed_bruck_scratch_bytes(group.size, block, context.parameters))) {
        return Fault::no_memory;
    }
    PackedBlocks messages(exchange, context, packed_bruck_message_bytes(group.size, block));
    const auto r = [&](int i) { return place(exchange, i); };

    // Phase 1, local shift: R[i + p] = S[p - i].
    context.wire.enter(Phase::rotate);
    Status status = shift_down(exchange);

    // Phase 2: in each step all R[i + p] where bit k of i is 1 go to rank p - 2^k. The blocks
    // from p + 2^k replace them.
    for (patterns::Round step(group.size, 2); step.valid(); step.advance()) {
        status.keep(messages.exchange(step, group.down(step.distance()), group.up(step.distance()), r, r));
    }
    return status;
}

} // namespace switchyard::algorithms::alltoall
