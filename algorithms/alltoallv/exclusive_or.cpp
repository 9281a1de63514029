// Idea: in each round k the ranks form pairs, rank and rank ^ k, that swap their blocks.
// Cost: P - 1 rounds of one message: (P - 1) * alpha + beta * (sum of the rounds' largest blocks).
// Needs: a power of two ranks. With any other number some rank has no partner.
// Departs: nothing. The paper measures MPICH's pairwise exchange and gives no details of its own.
// Source: TuNA paper, section V, exclusive-or; no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "algorithms/transport/messages/copy.hpp"
#include "algorithms/transport/messages/wire.hpp"

namespace switchyard::algorithms::alltoallv {

Status exclusive_or(const Exchange& exchange, Context& context) {
    Status status = copy_own_block(exchange);
    for (int k = 1; k < exchange.group.size; ++k) {
        const int partner = exchange.group.rank ^ k; // the partner's partner in this round is this rank
        status.keep(context.wire.exchange(partner, exchange.send_to(partner), exchange.send_size(partner),
                                          partner, exchange.recv_from(partner), exchange.recv_size(partner)));
    }
    return status;
}

} // namespace switchyard::algorithms::alltoallv
