// Idea: stride pairs of a send and a receive are under way. The rank tests them again and again, and starts
//   the next pair as soon as one is over.
// Cost: P - 1 messages for each rank: alpha * (P - 1) + beta * (bytes sent). The processor never rests.
// Needs: nothing. A stride of P - 1 or more starts all pairs at once.
// Departs: as stride_waitany does. stride is capped at Wire::batch(), and the next send
//   starts when a send is over.
// Source: GPU all-to-allv paper, section 3.1, multi-pair test exchange; no numbered algorithm.
#include "algorithms/transport/messages/copy.hpp"
#include "multi_pair.hpp"

namespace switchyard::algorithms::alltoallv {

Status stride_testany(const Exchange& exchange, Context& context) {
    Status status = copy_own_block(exchange);
    SlidingWindow window(exchange, context.wire, stride_of(context));
    while (!context.wire.is_idle()) {
        if (const auto completion = context.wire.test_any()) {
            window.refill_after(*completion);
        }
    }
    status.keep(context.wire.wait_all()); // no transfer is left; returns the errors
    return status;
}

} // namespace switchyard::algorithms::alltoallv
