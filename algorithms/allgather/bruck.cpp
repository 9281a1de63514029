// Idea: the blocks that a rank has gathered double in every step. At the end a rotation puts them into the
//   order of the ranks.
// Cost: ceil(log2 P) steps: log2(P) * alpha + beta * (P - 1) blocks, and a copy of everything.
// Needs: blocks of one size, and memory that the processor can copy; any number of ranks.
// Departs: where P is no power of two, the last step sends only the missing blocks. Blocks are gathered in
//   scratch memory, so the rotation is one copy into the application's buffer.
// Source: locality-aware Bruck paper, section 2, algorithm 1.
#include "algorithms/algorithm.hpp"
#include "algorithms/copy.hpp"
#include "bruck_scratch.hpp"

#include <algorithm>

namespace switchyard::algorithms::allgather {

Status bruck(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    const std::size_t block = exchange.max_block;
    copy_contribution(exchange, exchange.recv_from(group.rank));

    const auto scratch = bruck_scratch_bytes(group.size, block, context.parameters);
    if (scratch == 0) {
        return {}; // one rank, or empty blocks
    }
    if (!context.workspace.has(scratch)) {
        return {MPI_ERR_NO_MEM};
    }
    std::byte* const data = context.workspace.take(scratch).data();
    copy_contribution(exchange, data);

    Status status;
    for (int distance = 1; distance < group.size; distance *= 2) {
        const auto size = static_cast<std::size_t>(std::min(distance, group.size - distance)) * block;
        std::byte* const end = data + static_cast<std::size_t>(distance) * block;
        status.keep(context.wire.exchange(group.down(distance), data, size, group.up(distance), end, size));
    }
    for (int i = 1; i < group.size; ++i) { // rotate data down by id positions
        copy_bytes(exchange.recv_from(group.up(i)), data + static_cast<std::size_t>(i) * block, block);
    }
    return status;
}

} // namespace switchyard::algorithms::allgather
