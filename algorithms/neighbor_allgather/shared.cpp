// Idea: every rank writes its block, once for each neighbour, into memory that the node shares. Its neighbours copy from there.
// Cost: no message; two copies of each block, or one where a neighbour reads a large block where it lies. A
//   rank waits for its neighbours, and before its next exchange for the other ranks of the node. Where a rank
//   has several blocks for one neighbour, a round for each.
// Needs: all ranks on one node, and a window of the node; a topology.
// Departs: our own.
// Source: our own.
#include "algorithms/neighborhood/shared.hpp"

namespace switchyard::algorithms::neighbor_allgather {

std::unique_ptr<Schedule> shared_schedule(const Group& group, const Parameters&) {
    return neighborhood::shared_schedule(group);
}

Status shared(const Exchange& exchange, Context& context) {
    return neighborhood::shared(exchange, context);
}

} // namespace switchyard::algorithms::neighbor_allgather
