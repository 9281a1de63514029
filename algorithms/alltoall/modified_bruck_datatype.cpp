// Idea: modified Bruck, with MPI's derived datatypes instead of messages that the algorithm packs and unpacks.
// Cost: as modified Bruck: K * alpha + beta * D blocks; on the way only received blocks are copied, once, and
//   MPI builds two datatypes a step.
// Needs: blocks of one size, and memory the processor can copy; any number of ranks.
// Departs: the send buffer is not ours to write: blocks are received into scratch memory instead of S.
// Source: two-phase Bruck paper, section 2.1, "Modified Bruck", and section 2.2, ModifiedBruck-dt.
#include "algorithms/algorithm.hpp"
#include "blocks.hpp"
#include "algorithms/patterns/scratch.hpp"

namespace switchyard::algorithms::alltoall {

Status modified_bruck_datatype(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    const std::size_t block = exchange.max_block;
    if (!context.workspace.has(patterns::typed_bruck_scratch_bytes(group.size, block, context.parameters))) {
        return {MPI_ERR_NO_MEM};
    }
    const TemporaryBlocks received(exchange, context);
    TypedBlocks messages(exchange, context);
    const auto r = [&](int i) { return place(exchange, i); };
    const auto s = [&](int i) { return received[i]; };

    // Phase 1, local shift: R[i] = S[2p - i], here with R[i + p] and so S[p - i].
    Status status = copy_own_block(exchange);
    for (int i = 1; i < group.size; ++i) {
        copy_bytes(r(i), first_place(exchange, i), block);
    }

    // Phase 2: in each step all R[i + p] where bit k of i is 1 go to rank p - 2^k; those from p + 2^k come
    // into S, as R is still being sent, and then replace them.
    for (patterns::Round step(group.size, 2); step.valid(); step.advance()) {
        status.keep(messages.exchange(step, group.down(step.distance()), group.up(step.distance()), r, s));
        for_each_block(step, [&](int i) { copy_bytes(r(i), s(i), block); });
    }
    return status;
}

} // namespace switchyard::algorithms::alltoall
