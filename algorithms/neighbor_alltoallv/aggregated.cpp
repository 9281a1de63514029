// Idea: the small blocks between two nodes travel in one message. The ranks of a node share these messages
//   among them.
// Cost: a message for each pair of neighbouring nodes, and two messages inside the nodes for each rank that has
//   or gets such blocks. Blocks from direct_from bytes on, and blocks inside a node, go directly.
// Needs: a topology. No agreement: both ranks of a block know its size, and a message says the sizes.
// Departs: the paper's setup exchanges indices of values; here each rank learns the edges of its node when the
//   communicator is first used. Blocks of direct_from bytes (1024 without it) and more go directly.
// Source: Collom, Li and Bienz, Optimizing Irregular Communication with Neighborhood Collectives and
//   Locality-Aware Parallelism (2023).
#include "algorithms/neighborhood/aggregated.hpp"

namespace switchyard::algorithms::neighbor_alltoallv {

std::unique_ptr<Schedule> aggregated_schedule(const Group& group, const Parameters& parameters) {
    return neighborhood::aggregated_schedule(group, parameters, neighborhood::GoesTo::one_neighbor);
}

Status aggregated(const Exchange& exchange, Context& context) {
    return neighborhood::aggregated(exchange, context);
}

} // namespace switchyard::algorithms::neighbor_alltoallv
