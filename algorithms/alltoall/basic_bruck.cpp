// Idea: the number of a block is its distance to its destination, counted up. In step k the blocks whose
//   number has bit k go up 2^k ranks. A rotation before the steps gives blocks their numbers, a rotation
//   after them gives blocks their places.
// Cost: K = ceil(log2 P) steps of at most P / 2 blocks: K * alpha + beta * D blocks, D the number
//   of ones in 1 .. P - 1. Copies of all blocks before, of all sent and received blocks on the way,
//   and of all blocks after.
// Needs: blocks of one size, and memory that the processor can copy; any number of ranks.
// Departs: we may not write the send buffer. Blocks are received into scratch memory instead of S.
// Source: two-phase Bruck paper, section 2.1, "Basic Bruck", phases 1 to 3.
#include "algorithms/algorithm.hpp"
#include "blocks.hpp"
#include "blocks_scratch.hpp"

namespace switchyard::algorithms::alltoall {

Status basic_bruck(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    const std::size_t block = exchange.max_block;
    if (!context.workspace.has(packed_bruck_scratch_bytes(group.size, block, context.parameters))) {
        return Fault::no_memory;
    }
    PackedBlocks messages(exchange, context, packed_bruck_message_bytes(group.size, block));
    const auto r = [&](int i) { return exchange.recv_from(i); };

    // Phase 1, local shift: R[i] = S[p + i].
    context.wire.enter(Phase::rotate);
    Status status = shift(exchange);

    // Phase 2: in each step all R[i] whose bit k is 1 go to rank p + 2^k. The blocks
    // from p - 2^k replace them.
    for (patterns::Round step(group.size, 2); step.valid(); step.advance()) {
        status.keep(messages.exchange(step, group.up(step.distance()), group.down(step.distance()), r, r));
    }

    // Phase 3, local inverse shift: R[i] = R[p - i].
    context.wire.enter(Phase::rotate);
    shift_back(exchange, messages.spare());
    return status;
}

} // namespace switchyard::algorithms::alltoall
