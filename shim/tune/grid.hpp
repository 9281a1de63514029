// Points to measure: every collective with every number of ranks and every block size.
#pragma once

#include "point.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::tune {

struct GridRequest {
    std::vector<policy::Collective> collectives; // empty: all
    std::vector<int> ranks;                      // of communicators; empty: the world
    std::vector<std::size_t> blocks;             // bytes; empty: 8 to 32768 in steps of eight
    std::string distribution;                    // of block sizes where they may differ; empty: uniform
};

// The benchmark's words. A number follows `sparse` and `window`, and may follow `partition`.
std::vector<std::string> distribution_names();

// `world`: all ranks that the launcher starts. Smaller communicators are its first ranks. Throws
// std::runtime_error if the world is too small for a number of ranks.
std::vector<Point> grid_of(const GridRequest& request, const Shape& world);

} // namespace switchyard::shim::tune
