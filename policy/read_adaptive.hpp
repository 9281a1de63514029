// A `use` that leaves the choice to measurements at run time: its candidates and how often each is tried.
#pragma once

#include "read_use.hpp"

namespace switchyard::policy {

bool is_adaptive(const Value& use);

// Candidates are uses of the ordinary kind, read and checked as such. Native is not among them: it always
// takes part.
Use read_adaptive(const Value& value, const Scope& scope, Findings& findings);

} // namespace switchyard::policy
