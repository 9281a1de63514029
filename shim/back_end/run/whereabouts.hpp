// Where this rank runs: its node, its region of the node, and the memory that it can share there.
#pragma once

#include "shim/back_end/process/process.hpp"

#include <cstdint>
#include <string>

namespace switchyard::shim {

// Node, region and memory of this rank. Collective over the run's world; needs the orders. Throws on all
// ranks or on none.
void find_place(Process& self);

// The same for a rank that knows no other (sessions): its node is the host of that name. May throw.
void find_place_alone(Process& self, const std::string& host);

// One number of two, well spread.
std::uint64_t mixed(std::uint64_t left, std::uint64_t right);

} // namespace switchyard::shim
