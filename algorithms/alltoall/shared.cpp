// Idea: every rank writes its blocks into memory that the node shares. Their
//   destinations copy them from there.
// Cost: no message; two copies of each block. A rank waits for the ranks that send it something, and before
//   its next exchange for the other ranks. A block that does not fit into a third of its sender's section
//   goes in a stream, where its two ranks wait only for each other.
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
