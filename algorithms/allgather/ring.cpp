// Idea: each block travels around the ring. A rank passes the blocks of one neighbour
//   on to the other neighbour.
// Cost: P - 1 rounds of one block: (P - 1) * (alpha + beta * block). Only neighbours exchange messages.
// Needs: nothing.
// Departs: blocks may differ in size. An empty block takes no message.
// Source: locality-aware Bruck paper, section 2, the ring algorithm; no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "algorithms/transport/messages/copy.hpp"
#include "algorithms/transport/messages/wire.hpp"

namespace switchyard::algorithms::allgather {

Status ring(const Exchange& exchange, Context& context) {
    const Group& group = exchange.group;
    copy_contribution(exchange, exchange.recv_from(group.rank));

    Status status;
    for (int round = 0; round + 1 < group.size; ++round) {
        const int newest = group.up(round), next = group.up(round + 1);
        status.keep(context.wire.exchange(group.down(1), exchange.recv_from(newest),
                                          exchange.recv_size(newest), group.up(1), exchange.recv_from(next),
                                          exchange.recv_size(next)));
    }
    return status;
}

} // namespace switchyard::algorithms::allgather
