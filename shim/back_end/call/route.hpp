// One call from its arguments to its record.
#pragma once

#include "shim/back_end/arguments/call.hpp"

namespace switchyard::shim {

// What the application's call returns. Never throws anything of ours; what the application's own error
// handler throws passes through.
int route(const LoadedMpi& loaded, const CallArgs& call);

} // namespace switchyard::shim
