// The fast path of a call through its node's memory. Earlier calls of the same plan went to `shared`
// without an agreement. So this call is not measured, needs no choice, and makes no list of its blocks:
// the node's memory takes counts and displacements as they are. Other ranks may take the full path: all
// ranks meet in the same epoch.
#pragma once

#include "call_context.hpp"

namespace switchyard::shim {

// After a call that succeeded on the full path: similar calls may take the fast path from now on.
void remember_fast_path(const CallContext& context, const Decision& decision);

// Whether the call took the fast path. Then `code` is what MPI's function returns. Without `logs` the caller
// has made sure that no buffer is in device memory.
bool took_fast_path(Process& self, const CallArgs& call, CommState& state, Plan& plan, bool logs, int& code);

} // namespace switchyard::shim
