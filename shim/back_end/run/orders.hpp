// The orders of a run: settings, policy and the log's folder. Rank 0 gives them, the others take them.
#pragma once

#include "shim/back_end/process/process.hpp"

#include <string>
#include <vector>

namespace switchyard::shim {

// Reads the policy and checks it with what is forced; every problem is a warning. `complaints`: problems of the settings,
// which are warnings, too. May throw.
void give_orders(Process& self, const std::vector<std::string>& complaints);

// Collective over the run's world: rank 0 gives its orders, makes the log's folder, and all ranks get both. Throws on all
// ranks or on none.
void take_orders(Process& self);

// What run.json says of the run. Needs the orders.
log::RunInfo describe(const Process& self);

} // namespace switchyard::shim
