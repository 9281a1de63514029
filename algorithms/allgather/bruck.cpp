// Idea: the blocks that a rank has gathered double in every step; in base r there are r times as many after
//   a step. At the end a rotation puts them into the order of the ranks.
// Cost: w = ceil(log_r P) steps of at most r - 1 messages: w * alpha, (r - 1) w messages, beta * (P - 1)
//   blocks, and a copy of everything.
// Needs: memory that the processor can copy; any number of ranks.
// Departs: the paper's base is 2, the preset. In base r a rank sends what it has to the r - 1 ranks at
//   multiples of the step's distance, all at once; each step may have a base of its own. The last step sends
//   only the missing blocks. Blocks are gathered in scratch memory, so the rotation is one copy into the
//   application's buffer. They may differ in size.
// Source: locality-aware Bruck paper, section 2, algorithm 1.
#include "algorithms/algorithm.hpp"
#include "algorithms/patterns/radix.hpp"
#include "algorithms/transport/messages/copy.hpp"
#include "algorithms/transport/messages/wire.hpp"
#include "blocks_of.hpp"
#include "bruck_scratch.hpp"

#include <algorithm>

namespace switchyard::algorithms::allgather {

Status bruck(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    copy_contribution(exchange, exchange.recv_from(group.rank));

    const auto scratch = bruck_scratch_bytes(group.size, mean_block(exchange), context.parameters);
    if (scratch == 0) {
        return {}; // one rank, or empty blocks
    }
    if (!context.workspace.has(scratch)) {
        return Fault::no_memory;
    }
    std::byte* const data = context.workspace.take(scratch).data();
    copy_contribution(exchange, data);

    context.wire.enter(Phase::data);
    Status status;
    std::size_t gathered =
        exchange.recv_size(group.rank); // bytes of the blocks of as many ranks as the distance
    for (patterns::Round round(group.size, context.parameters[Parameter::radix]); round.valid();) {
        const std::size_t own = gathered; // bytes of the blocks of `weight` ranks
        const int weight = round.weight(), x = round.x();
        for (int together = 0; round.valid() && round.x() == x; round.advance()) {
            const int distance = round.distance(), count = std::min(weight, group.size - distance);
            const std::size_t size = count < weight ? bytes_of(exchange, group.rank, count) : own,
                              next = bytes_of(exchange, group.up(distance), count);
            context.wire.receive(group.up(distance), data + gathered, next);
            context.wire.send(group.down(distance), data, size);
            gathered += next;
            if (++together % context.wire.batch() == 0) status.keep(context.wire.wait_all());
        }
        status.keep(context.wire.wait_all());
    }
    context.wire.enter(Phase::rotate);
    const std::byte* block = data;
    for_each_rank(group, group.rank, group.size, [&](int source) { // rotate data down by id positions
        const std::size_t size = exchange.recv_size(source);
        if (source != group.rank) copy_bytes(exchange.recv_from(source), block, size);
        block += size;
    });
    return status;
}

} // namespace switchyard::algorithms::allgather
