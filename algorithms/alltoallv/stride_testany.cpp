// Idea: stride pairs of a send and a receive under way, asked again and again whether any of them has landed,
//   upon which the next one starts.
// Cost: P - 1 messages a rank: alpha * (P - 1) + beta * (bytes sent), and the processor, which never rests.
// Needs: nothing; stride of P - 1 or more has everything under way at once.
// Departs: as stride_waitany does: stride is capped at Wire::largest_batch; a send makes place for a send.
// Source: GPU all-to-allv paper, section 3.1, multi-pair test exchange; no numbered algorithm.
#include "multi_pair.hpp"
#include "algorithms/copy.hpp"

namespace switchyard::algorithms::alltoallv {

Status stride_testany(const Exchange& exchange, Context& context) {
    Status status = copy_own_block(exchange);
    Window window(exchange, context.wire, stride_of(context));
    while (!context.wire.is_idle()) {
        if (const auto landed = context.wire.test_any()) {
            window.refill_after(*landed);
        }
    }
    status.keep(context.wire.wait_all()); // nothing is left; what went wrong
    return status;
}

} // namespace switchyard::algorithms::alltoallv
