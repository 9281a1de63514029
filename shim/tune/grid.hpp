// Which points are to be measured.
#pragma once

#include "point.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::tune {

struct GridRequest {
    std::vector<policy::Collective> collectives; // empty: all
    std::vector<int> ranks;                      // of communicators; empty: the world
    std::vector<std::size_t> blocks;             // bytes; empty: 8 to 32768 in steps of eight
    std::string distribution;                    // of alltoallv's blocks; empty: uniform
};

// A world of so many ranks, the most of them on one node. Smaller communicators are its first ranks. Throws
// std::runtime_error where a number of ranks is not to be had.
std::vector<Point> grid_of(const GridRequest& request, const Shape& world);

} // namespace switchyard::shim::tune
