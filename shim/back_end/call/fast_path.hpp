// The fast path of a call into the memory of its node. Calls of the same plan before it went to `shared`, and
// nothing was agreed for them. So this call is neither measured nor chosen for, and no list of its blocks is
// made: the node's memory takes counts and displacements as they are. Other ranks may come by the full path:
// all of them meet in the same epoch.
#pragma once

#include "call_context.hpp"

namespace switchyard::shim {

// After a call that took the full path, and well: calls like it may take the fast path from now on.
void remember_fast_path(const CallContext& context, const Decision& decision);

// Whether the call took the fast path. Then `code` is what MPI's function returns. Without `logs` the caller
// has made sure that no buffer is a device's.
bool took_fast_path(Process& self, const CallArgs& call, CommState& state, Plan& plan, bool logs, int& code);

} // namespace switchyard::shim
