// Idea: stride pairs of a send and a receive are under way. The next one starts as soon as any is over, so
//   a late rank holds up only its own pairs.
// Cost: P - 1 messages for each rank: alpha * (P - 1) + beta * (bytes sent). One wait for each of the 2 (P -
//   1) transfers, but hardly ever for a late rank.
// Needs: nothing. A stride of P - 1 or more starts all pairs at once.
// Departs: stride is capped at Wire::batch(). The next send starts when a send is over, the next
//   receive when a receive is over. The paper does not say which transfer follows; mixing them could leave
//   a rank with sends only.
// Source: GPU all-to-allv paper, section 3.1, multi-pair non-blocking exchange; no numbered algorithm.
#include "algorithms/transport/messages/copy.hpp"
#include "multi_pair.hpp"

namespace switchyard::algorithms::alltoallv {

Status stride_waitany(const Exchange& exchange, Context& context) {
    Status status = copy_own_block(exchange);
    SlidingWindow window(exchange, context.wire, stride_of(context));
    while (const auto completion = context.wire.wait_any()) {
        window.refill_after(*completion);
    }
    status.keep(context.wire.wait_all()); // no transfer is left; returns the errors
    return status;
}

} // namespace switchyard::algorithms::alltoallv
