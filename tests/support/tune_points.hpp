// Points of a tuning's grid.
#pragma once

#include "shim/tune/point.hpp"

#include <cstddef>

namespace switchyard::tests {

// On one node.
inline shim::tune::Point point_of(policy::Collective collective, std::size_t block, int ranks = 8) {
    shim::tune::Point point;
    point.shape = {collective, ranks, 1, ranks};
    point.max_block = block;
    return point;
}

} // namespace switchyard::tests
