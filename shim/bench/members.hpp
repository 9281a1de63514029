// Which ranks of a world make a smaller communicator. No MPI.
#pragma once

#include "algorithms/node_map.hpp"

#include <vector>

namespace switchyard::bench {

// The first `wanted` ranks of the world, node after node, no more than `per_node` of each node (0: as many as
// it has); fewer where there are no more. Rank 0 is always the first of them.
std::vector<int> members_of(const algorithms::NodeMap& world, int wanted, int per_node);

} // namespace switchyard::bench
