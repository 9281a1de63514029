// Idea: one partner to send to and one to receive from in each round: a rank never serves two at a time.
// Cost: P - 1 rounds of one message: (P - 1) * alpha + beta * (sum of the rounds' largest blocks).
// Needs: nothing.
// Departs: send and receive are both nonblocking; the paper's description of it has a blocking send.
// Source: TuNA paper, section II(d), pairwise; no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "algorithms/copy.hpp"
#include "algorithms/partners.hpp"

namespace switchyard::algorithms::alltoallv {

Status pairwise(const Exchange& exchange, Context& context) {
    Status status = copy_own_block(exchange);
    for (int distance = 1; distance < exchange.group.size; ++distance) {
        status.keep(exchange_with(distance, distance + 1, exchange, context.wire));
    }
    return status;
}

} // namespace switchyard::algorithms::alltoallv
