// Idea: basic Bruck with MPI's derived datatypes. The algorithm does not pack and unpack messages.
// Cost: as basic Bruck: K * alpha + beta * D blocks. On the way only received blocks are copied, once. MPI
//   builds two datatypes in each step.
// Needs: blocks of one size, and memory that the processor can copy; any number of ranks.
// Departs: we may not write the send buffer. Blocks are received into scratch memory instead of S.
// Source: two-phase Bruck paper, section 2.1, "Basic Bruck", and section 2.2, BasicBruck-dt.
#include "algorithms/algorithm.hpp"
#include "blocks.hpp"
#include "blocks_scratch.hpp"

namespace switchyard::algorithms::alltoall {

Status basic_bruck_datatype(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    const std::size_t block = exchange.max_block;
    if (!context.workspace.has(typed_bruck_scratch_bytes(group.size, block, context.parameters))) {
        return Fault::no_memory;
    }
    const TemporaryBlocks received(exchange, context);
    TypedBlocks messages(exchange, context);
    const auto r = [&](int i) { return exchange.recv_from(i); };
    const auto s = [&](int i) { return received[i]; };

    // Phase 1, local shift: R[i] = S[p + i].
    context.wire.enter(Phase::rotate);
    Status status = shift(exchange);

    // Phase 2: in each step all R[i] whose bit k is 1 go to rank p + 2^k. The blocks from p - 2^k come into
    // S, since R is still being sent, and then replace them.
    for (patterns::Round step(group.size, 2); step.valid(); step.advance()) {
        status.keep(messages.exchange(step, group.up(step.distance()), group.down(step.distance()), r, s));
        context.wire.enter(Phase::rearrange);
        for_each_block(step, [&](int i) { copy_bytes(r(i), s(i), block); });
    }

    // Phase 3, local inverse shift: R[i] = R[p - i].
    context.wire.enter(Phase::rotate);
    shift_back(exchange, received.spare());
    return status;
}

} // namespace switchyard::algorithms::alltoall
