// Idea: every rank writes its blocks into memory that the node shares. Their destinations copy them from
//   there.
// Cost: no message; two copies of each block. In each epoch every rank waits once for all others. An exchange
//   takes one epoch where the blocks of each rank fit into half of its section, else several.
// Needs: all ranks on one node, and a window of the node. No agreement on the largest block.
// Departs: our own.
// Source: our own; the papers' intra-node phases use messages.
#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms::alltoallv {

Status shared(const Exchange& exchange, Context& context) {
    return context.has_begun ? context.window->finish(exchange) : context.window->exchange(exchange);
}

} // namespace switchyard::algorithms::alltoallv
