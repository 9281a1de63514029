// The short way of a call into the memory of its node. Calls of the same plan before it went to `shared`, and nothing was agreed
// for them. So this call is neither measured nor chosen for, and no list of its blocks is made: the node's memory takes counts
// and displacements as they are. Other ranks may come the long way: all of them meet in the same epoch.
#pragma once

#include "passage.hpp"

namespace switchyard::shim {

// After a call that went the long way, and well: calls like it may go the short way from now on.
void remember_short_way(const Passage& passage, const Decision& decision);

// Whether the call went the short way. Then `code` is what MPI's function returns. Without `logs` the caller has made sure that
// no buffer is a device's.
bool went_short_way(Process& self, const CallArgs& call, CommState& state, Plan& plan, bool logs, int& code);

} // namespace switchyard::shim
