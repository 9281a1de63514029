// Idea: in each round a rank sends to one partner and receives from one partner.
// Cost: P - 1 rounds of one message: (P - 1) * alpha + beta * (sum of the rounds' largest blocks).
// Needs: nothing.
// Departs: send and receive are both nonblocking. The paper describes a blocking send.
// Source: TuNA paper, section II(d), pairwise; no numbered algorithm.
#include "algorithms/algorithm.hpp"
#include "algorithms/transport/partners.hpp"

namespace switchyard::algorithms::alltoallv {

Status pairwise(const Exchange& exchange, Context& context) {
    return exchange_in_batches(1, exchange, context.wire);
}

} // namespace switchyard::algorithms::alltoallv
