// Measures what a machine's messages and copies cost.
#pragma once

#include "algorithms/group.hpp"
#include "machine_file.hpp"

#include <string>

namespace switchyard::bench {

// "", or why this placement of ranks shows no network or no node.
std::string why_not_calibrated(const algorithms::NodeMap& map);

// The values of the machine's file, on rank 0. Takes some seconds. Collective over the group, which is a
// whole communicator with a node map for which why_not_calibrated() is "".
MachineFile calibrate(const algorithms::Group& group, bool simulated);

} // namespace switchyard::bench
