// The ranks of a smaller communicator. No MPI.
#pragma once

#include "algorithms/node_map.hpp"

#include <vector>

namespace switchyard::bench {

// The first `wanted` ranks of the world, or fewer if it has fewer. With `per_node` they are taken node by
// node, at most so many of each node. Rank 0 is always the first.
std::vector<int> members_of(const algorithms::NodeMap& world, int wanted, int per_node);

} // namespace switchyard::bench
