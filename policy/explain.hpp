// Why a rule takes a call, for people.
#pragma once

#include "table.hpp"

#include <string>

namespace switchyard::policy {

// Several lines: each earlier rule with the reason why it does not fire, then the rule that fires with its
// algorithm, parameters and `because`. Uses prune() and choose(), so it says what the shim does.
std::string explain(const Policy& policy, const Features& call);

} // namespace switchyard::policy
