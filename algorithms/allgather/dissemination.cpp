// Idea: in step i every rank sends all gathered blocks 2^i ranks up, so gathered blocks double in every step.
// Cost: ceil(log2 P) steps: log2(P) * alpha + beta * (P - 1) blocks, and no copies of ours.
// Needs: nothing; any number of ranks.
// Departs: the paper only names it. Where P is no power of two, the last step sends only the missing blocks.
//   All blocks are received at their places, so a message may have several parts, by a derived datatype.
//   Blocks may differ in size.
// Source: locality-aware Bruck paper, section 2, the dissemination algorithm; no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "algorithms/transport/messages/copy.hpp"
#include "algorithms/transport/messages/wire.hpp"
#include "blocks_of.hpp"
#include "dissemination_scratch.hpp"

#include <algorithm>

namespace switchyard::algorithms::allgather {

Status dissemination(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    const auto memory = context.workspace.take_array<Part>(dissemination_parts(group.size));
    if (memory.size() != dissemination_parts(group.size)) {
        return Fault::no_memory;
    }
    copy_contribution(exchange, exchange.recv_from(group.rank));

    PartList parts(memory);
    Status status;
    for (int distance = 1; distance < group.size; distance *= 2) {
        // A rank has gathered the blocks of the `distance` ranks that end with itself.
        const int count = std::min(distance, group.size - distance);
        const int source = group.down(distance);
        context.wire.receive_parts(source,
                                   blocks_of(exchange, group.down(distance + count - 1), count, parts));
        context.wire.send_parts(group.up(distance), blocks_of(exchange, group.down(count - 1), count, parts));
        status.keep(context.wire.wait_all());
    }
    return status;
}

} // namespace switchyard::algorithms::allgather
