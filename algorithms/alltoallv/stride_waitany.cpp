// Idea: stride pairs of a send and a receive under way; as soon as any of them lands, the next one starts, so
//   that a rank that is late holds up its own pairs only.
// Cost: P - 1 messages a rank: alpha * (P - 1) + beta * (bytes sent); a wait for each of the 2 (P - 1)
//   transfers, but hardly ever for a rank that is late.
// Needs: nothing; stride of P - 1 or more has everything under way at once.
// Departs: stride is capped at Wire::largest_batch. A send makes place for a send, a receive for a receive:
//   the paper does not say what follows what, and mixing them could leave a rank with sends only.
// Source: GPU all-to-allv paper, section 3.1, multi-pair non-blocking exchange; no numbered algorithm.
#include "multi_pair.hpp"
#include "algorithms/copy.hpp"

namespace switchyard::algorithms::alltoallv {

Status stride_waitany(const Exchange& exchange, Context& context) {
    Status status = copy_own_block(exchange);
    Window window(exchange, context.wire, stride_of(context));
    while (const auto landed = context.wire.wait_any()) {
        window.refill_after(*landed);
    }
    status.keep(context.wire.wait_all()); // nothing is left; what went wrong
    return status;
}

} // namespace switchyard::algorithms::alltoallv
