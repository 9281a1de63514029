// Every block directly to its neighbour, for blocks of their own (neighbor_alltoallv) and for one block for all
// neighbours (neighbor_allgather).
#pragma once

#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms::neighborhood {

Status direct(const Exchange& exchange, Context& context);

} // namespace switchyard::algorithms::neighborhood
