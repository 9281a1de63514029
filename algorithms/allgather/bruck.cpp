// Idea: the blocks that a rank has gathered double in every step. At the end a rotation puts them into the
//   order of the ranks.
// Cost: ceil(log2 P) steps: log2(P) * alpha + beta * (P - 1) blocks, and a copy of everything.
// Needs: memory that the processor can copy; any number of ranks.
// Departs: where P is no power of two, the last step sends only the missing blocks. Blocks are gathered in
//   scratch memory, so the rotation is one copy into the application's buffer. They may differ in size.
// Source: locality-aware Bruck paper, section 2, algorithm 1.
#include "algorithms/algorithm.hpp"
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

    Status status;
    std::size_t gathered = exchange.recv_size(group.rank); // bytes of the blocks of `distance` ranks
    for (int distance = 1; distance < group.size; distance *= 2) {
        const int source = group.up(distance), missing = group.size - distance;
        const std::size_t size = missing < distance ? bytes_of(exchange, group.rank, missing) : gathered,
                          next = bytes_of(exchange, source, std::min(distance, missing));
        status.keep(context.wire.exchange(group.down(distance), data, size, source, data + gathered, next));
        gathered += next;
    }
    const std::byte* block = data;
    for_each_rank(group, group.rank, group.size, [&](int source) { // rotate data down by id positions
        const std::size_t size = exchange.recv_size(source);
        if (source != group.rank) copy_bytes(exchange.recv_from(source), block, size);
        block += size;
    });
    return status;
}

} // namespace switchyard::algorithms::allgather
