// The inner exchange of an algorithm that knows nodes, between the ranks of one node: through memory that
// they share where `intra` says so and there is some, else TuNA over their own group, without a communicator
// of theirs.
#pragma once

#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms::alltoallv {

Status tuna(const Exchange& exchange, Context& context);

// `exchange.group` is the own node of the communicator that the context's wire serves, or a part of it, where
// all ranks of the node exchange at the same time, each within one part. `tuna_parameters` are TuNA's. Memory
// that TuNA takes is given back.
inline Status exchange_locally(const Exchange& exchange, const Parameters& tuna_parameters,
                               Context& context) {
    if (NodeWindow* window = context.intra_window()) return window->exchange(exchange);
    Context inner{tuna_parameters, context.workspace, context.wire};
    const std::size_t mark = context.workspace.taken();
    const Wire::Within own_node(context.wire, exchange.group);
    const Status status = tuna(exchange, inner);
    context.workspace.release_to(mark);
    return status;
}

} // namespace switchyard::algorithms::alltoallv
