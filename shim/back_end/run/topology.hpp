// Where this rank runs: its node, its region of the node, and the memory that it can share there.
#pragma once

#include "shim/back_end/process/process.hpp"

#include <cstdint>

namespace switchyard::shim {

// Node and memory of this rank. Needs the run configuration. No communication; may throw.
void find_node(Process& self);

// Its region of the node, where a rule looks at regions. Collective over the run's world, if there is one.
// Throws on all ranks or on none.
void find_region_of(Process& self);

// One number from two, well spread.
std::uint64_t mixed(std::uint64_t left, std::uint64_t right);

} // namespace switchyard::shim
