// Why a call goes where it goes, for people.
#pragma once

#include "table.hpp"

#include <string>

namespace switchyard::policy {

// Several lines: each earlier rule with the key that kept it from firing, then the rule that fires with its
// algorithm, resolved parameters and `because`. Uses prune() and choose(), so it cannot disagree with the
// shim.
std::string explain(const Policy& policy, const Features& call);

} // namespace switchyard::policy
