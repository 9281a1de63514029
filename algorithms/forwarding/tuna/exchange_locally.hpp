// The exchange between the ranks of one node, inside an algorithm that knows nodes. With intra=shared it goes
// through the memory that the ranks share, where there is such memory. Otherwise it is TuNA over the group of
// these ranks, without a communicator of their own.
#pragma once

#include "algorithms/forwarding/tuna.hpp"
#include "algorithms/transport/memory/node_window.hpp"
#include "inner_tuna.hpp"

namespace switchyard::algorithms::forwarding {

// All ranks of the node call it at the same time. `exchange.group` is this rank's node in the communicator of
// the context's wire, or a group of ranks of the node, such as a lane. `inner`: for that group. The memory
// that TuNA takes is given back.
inline Status exchange_locally(const Exchange& exchange, const InnerTuna& inner, Context& context) {
    if (NodeWindow* window = context.intra_window()) {
        context.wire.enter(Phase::intra);
        return window->exchange(exchange);
    }
    Context means{inner.parameters, context.workspace, context.wire, nullptr, &inner.schedule};
    const std::size_t mark = context.workspace.taken();
    const Wire::Within own_node(context.wire, exchange.group);
    const Status status = tuna(exchange, means);
    context.workspace.release_to(mark);
    return status;
}

} // namespace switchyard::algorithms::forwarding
