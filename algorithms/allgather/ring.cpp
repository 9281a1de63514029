// Idea: each block travels all around the ring; a rank passes on to one neighbour what it got from the other.
// Cost: P - 1 rounds of one block: (P - 1) * (alpha + beta * block); only neighbours talk.
// Needs: blocks of one size.
// Departs: nothing.
// Source: locality-aware Bruck paper, section 2, the ring algorithm; no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "algorithms/copy.hpp"

namespace switchyard::algorithms::allgather {

Status ring(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    const std::size_t block = exchange.max_block;
    copy_contribution(exchange, exchange.recv_from(group.rank));

    Status status;
    for (int step = 0; step + 1 < group.size; ++step) {
        const std::byte* newest = exchange.recv_from(group.up(step));
        std::byte* next = exchange.recv_from(group.up(step + 1));
        status.keep(context.wire.exchange(group.down(1), newest, block, group.up(1), next, block));
    }
    return status;
}

} // namespace switchyard::algorithms::allgather
