// What `switchyard explain` assumes where the user says nothing.
#pragma once

#include "commands.hpp"

#include "policy/table.hpp"

#include <string>

namespace switchyard::shim::command {

// Ranks that a launcher puts on a node like this machine: one for each processor.
int ranks_per_node_here();

// The network of nodes like this machine.
policy::Network network_here();

// Fills in what the user did not give: nodes and ranks per node.
void complete(ExplainedCall& asked);

// `assumed: 2 ranks per node, one for each processor of this machine (--ranks-per-node); ...` and a line end,
// or "" if the user gave everything that the policy may look at.
std::string assumptions(const policy::Policy& policy, const ExplainedCall& asked);

} // namespace switchyard::shim::command
