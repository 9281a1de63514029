// Idea: every rank writes its blocks into memory that the node shares, and copies out what is for it.
// Cost: no message; two copies of each block, and one wait of all for all in each epoch: as many as half a
//   rank's section holds its blocks in, mostly one.
// Needs: all ranks on one node, and a window of it; no agreement on the largest block.
// Departs: our own.
// Source: our own; the papers' intra-node phases are of messages.
#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms::alltoallv {

Status shared(const Exchange& exchange, Context& context) {
    return context.window->exchange(exchange);
}

} // namespace switchyard::algorithms::alltoallv
