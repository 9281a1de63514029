// Idea: each block travels around the ring. A rank passes the blocks of one neighbour on to the other
//   neighbour.
// Cost: P - 1 rounds of one block: (P - 1) * (alpha + beta * block). Only neighbours exchange messages.
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
    for (int round = 0; round + 1 < group.size; ++round) {
        const std::byte* newest = exchange.recv_from(group.up(round));
        std::byte* next = exchange.recv_from(group.up(round + 1));
        status.keep(context.wire.exchange(group.down(1), newest, block, group.up(1), next, block));
    }
    return status;
}

} // namespace switchyard::algorithms::allgather
