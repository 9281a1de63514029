// An adaptive `use`: its candidates, and how often each is tried. Which candidate
// runs is decided at run time.
#pragma once

#include "read_use.hpp"

namespace switchyard::policy {

bool is_adaptive(const Value& use);

// Each candidate is checked like a use of its own. Native is not among them, since it always takes part.
Use read_adaptive(const Value& value, const Scope& scope, Findings& findings);

} // namespace switchyard::policy
