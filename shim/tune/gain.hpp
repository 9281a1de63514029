// What rounds of a program show: is it faster under the policy, by how much, how sure, and what to change.
#pragma once

#include "rounds.hpp"

#include <ostream>

namespace switchyard::shim::tune {

// `policy`: the file that people gave; "": none, so tuning may help.
void print_gain(const Rounds& rounds, const std::string& policy, std::ostream& out);

} // namespace switchyard::shim::tune
