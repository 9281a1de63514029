// Idea: modified Bruck with derived datatypes. Each block alternates between R and a second buffer T from hop
//   to hop, so no block arrives where another is being sent from, and no received block is copied.
// Cost: as modified Bruck: K * alpha + beta * D blocks. Copies of all blocks before, none on the way. MPI
//   builds two datatypes in each step.
// Needs: blocks of one size, and memory that the processor can copy; any number of ranks.
// Departs: a block is sent from T where the paper says R, and from R where it says T, so that its last hop
//   (one bit left) ends in R. Phase 1 puts it where its first hop starts. With the parity as printed, blocks
//   would end in T. T has no place for the own block, which never moves.
// Source: two-phase Bruck paper, section 2.1, "Zero-copy Bruck", phases 1 and 2.
#include "algorithms/algorithm.hpp"
#include "blocks.hpp"
#include "blocks_scratch.hpp"

#include <bit>

namespace switchyard::algorithms::alltoall {

namespace {

// The paper's b modulo 2. The hops that block i has left are the ones in its number from bit k on.
bool hops_are_odd(int i, int k) {
    return std::popcount(static_cast<unsigned>(i) >> static_cast<unsigned>(k)) % 2 == 1;
}

} // namespace

Status zero_copy_bruck(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    const std::size_t block = exchange.max_block;
    if (!context.workspace.has(typed_bruck_scratch_bytes(group.size, block, context.parameters))) {
        return Fault::no_memory;
    }
    const TemporaryBlocks t(exchange, context);
    TypedBlocks messages(exchange, context);
    // The buffer of a block with that parity of hops left: R[i + p] or T[i + p].
    const auto buffer = [&](int i, bool odd) { return odd ? t[i] : place(exchange, i); };

    // Phase 1, local shift: R[i + p] or T[i + p] = S[p - i].
    context.wire.enter(Phase::rotate);
    Status status = copy_own_block(exchange);
    for (int i = 1; i < group.size; ++i) {
        copy_bytes(buffer(i, hops_are_odd(i, 0)), first_place(exchange, i), block);
    }

    // Phase 2: in each step all blocks i whose bit k is 1 go to rank p - 2^k from one buffer. The blocks from
    // p + 2^k come into the other buffer, with one hop less to go.
    for (patterns::Round step(group.size, 2); step.valid(); step.advance()) {
        const int k = step.x();
        status.keep(messages.exchange(
            step, group.down(step.distance()), group.up(step.distance()),
            [&](int i) { return buffer(i, hops_are_odd(i, k)); },
            [&](int i) { return buffer(i, !hops_are_odd(i, k)); }));
    }
    return status;
}

} // namespace switchyard::algorithms::alltoall
