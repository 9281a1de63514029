// Idea: Bruck's exchange without its rotations. Blocks move towards lower ranks, which spares the last
//   rotation. They are read through an index, which spares the first. R holds the blocks on their way.
// Cost: K = ceil(log2 P) rounds of at most P / 2 blocks: K * alpha + beta * (K * P / 2) blocks.
// Needs: blocks of one size, and memory that the processor can copy; any number of ranks.
// Departs: the rotation index I[i] = (2p - i) mod P is computed, not stored. A round of
//   one block copies nothing.
// Source: two-phase Bruck paper, section 2.1, "Zero Rotation Bruck", phases 1 and 2.
#include "zero_rotation_bruck.hpp"
#include "blocks.hpp"
#include "zero_rotation_bruck_scratch.hpp"

namespace switchyard::algorithms::alltoall {

Status zero_rotation_bruck(const Exchange& exchange, Context& context) {
    return zero_rotation_bruck_in_base(2, exchange, context);
}

Status zero_rotation_bruck_in_base(patterns::Radices radices, const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    const std::size_t block = exchange.max_block;
    if (!context.workspace.has(zero_rotation_bruck_scratch_in_base(group.size, block, radices))) {
        return Fault::no_memory;
    }
    PackedBlocks messages(exchange, context, zero_rotation_bruck_message_bytes(group.size, block, radices));
    const auto r = [&](int i) { return place(exchange, i); };

    Status status = copy_own_block(exchange);
    for (patterns::Round round(group.size, radices); round.valid(); round.advance()) {
        const int distance = round.distance(); // z * r^x, for all digits x and all their values z
        const int destination = group.down(distance), source = group.up(distance);
        // A block that has not moved yet is in S. All others are in R.
        const auto s_or_r = [&](int i) -> const std::byte* {
            return round.is_first_hop(i) ? first_place(exchange, i) : r(i);
        };
        if (round.blocks() == 1) { // the block that has just this distance to go
            context.wire.enter(Phase::data);
            status.keep(context.wire.exchange(destination, first_place(exchange, distance), block, source,
                                              r(distance), block));
        } else {
            status.keep(messages.exchange(round, destination, source, s_or_r, r));
        }
    }
    return status;
}

} // namespace switchyard::algorithms::alltoall
