// Small blocks between nodes in one message for each pair of nodes, for blocks of their own
// (neighbor_alltoallv) and for one block for all neighbours (neighbor_allgather).
#pragma once

#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms::neighborhood {

// What a block goes to: one neighbour, or all of a rank's neighbours on a node, who get copies there.
enum class GoesTo { one_neighbor, all_on_a_node };

std::unique_ptr<Schedule> aggregated_schedule(const Group& group, const Parameters& parameters,
                                              GoesTo goes_to);
Status aggregated(const Exchange& exchange, Context& context);

} // namespace switchyard::algorithms::neighborhood
