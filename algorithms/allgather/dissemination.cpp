// Idea: in step i every rank sends on all that it has gathered, 2^i ranks up, which doubles it.
// Cost: ceil(log2 P) steps: log2(P) * alpha + beta * (P - 1) blocks, and no copies of ours.
// Needs: blocks of one size; any number of ranks.
// Departs: the paper only names it. The last step sends only what is missing where P is no power of two. All
//   blocks are received at their places, so a message may consist of several pieces: a derived datatype.
// Source: locality-aware Bruck paper, section 2, the dissemination algorithm; no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "part_list.hpp"
#include "algorithms/copy.hpp"
#include "algorithms/patterns/scratch.hpp"

#include <algorithm>

namespace switchyard::algorithms::allgather {

Status dissemination(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    const auto memory = context.workspace.take_array<Part>(patterns::dissemination_parts(group.size));
    if (memory.size() != patterns::dissemination_parts(group.size)) {
        return {MPI_ERR_NO_MEM};
    }
    copy_contribution(exchange, exchange.recv_from(group.rank));

    PartList parts(exchange, memory);
    Status status;
    for (int distance = 1; distance < group.size; distance *= 2) {
        // A rank has gathered the blocks of the `distance` ranks that end with itself.
        const int count = std::min(distance, group.size - distance);
        const int source = group.down(distance);
        context.wire.receive_parts(source, parts.add(group.down(distance + count - 1), count).take());
        context.wire.send_parts(group.up(distance), parts.add(group.down(count - 1), count).take());
        status.keep(context.wire.wait_all());
    }
    return status;
}

} // namespace switchyard::algorithms::allgather
