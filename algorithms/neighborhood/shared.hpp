// Blocks for neighbours through memory that the ranks of a node share, for blocks of their own
// (neighbor_alltoallv) and for one block for all neighbours (neighbor_allgather).
#pragma once

#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms::neighborhood {

std::unique_ptr<Schedule> shared_schedule(const Group& group);
Status shared(const Exchange& exchange, Context& context);

} // namespace switchyard::algorithms::neighborhood
