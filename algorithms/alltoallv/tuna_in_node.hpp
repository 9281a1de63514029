// TuNA as the inner exchange of an algorithm that knows nodes: between the ranks of one node, over their own
// group, without a communicator of theirs.
#pragma once

#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms::alltoallv {

Status tuna(const Exchange& exchange, Context& context);

// `exchange.group` is the own node of the communicator that the context's wire serves. Memory that TuNA takes
// is given back.
inline Status tuna_in_node(const Exchange& exchange, const Parameters& parameters, Context& context) {
    Context inner{parameters, context.workspace, context.wire};
    const std::size_t mark = context.workspace.taken();
    const Wire::Within own_node(context.wire, exchange.group);
    const Status status = tuna(exchange, inner);
    context.workspace.release_to(mark);
    return status;
}

} // namespace switchyard::algorithms::alltoallv
