// Idea: every rank writes its blocks into memory that the node shares. Their destinations copy them from
//   there.
// Cost: no message; two copies of each block. A rank waits for ranks that send it something, and for the
//   others before its next exchange. Blocks that do not fit into a third of their sender's section go in
//   streams, where the two ranks of a block wait for each other alone.
// Needs: all ranks on one node, and a window of the node. No agreement on the largest block.
// Departs: our own.
// Source: our own; the papers' intra-node phases use messages.
#include "algorithms/algorithm.hpp"
#include "algorithms/transport/memory/node_window.hpp"

namespace switchyard::algorithms::alltoall {

Status shared(const Exchange& exchange, Context& context) {
    return context.window->exchange(exchange);
}

} // namespace switchyard::algorithms::alltoall
