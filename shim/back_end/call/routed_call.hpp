// A call on a communicator where one of our algorithms may take it.
#pragma once

#include "call_context.hpp"

namespace switchyard::shim {

// agree -> choose -> load -> run -> unload -> record. Collective as far as the plan says. Returns the code for
// the program, whose error handler has seen it.
int run_routed(const CallContext& context, Plan& plan);

// An error of ours goes to the program's error handler, as MPI's own would. Returns the code.
int report(const CallArgs& call, int code);

} // namespace switchyard::shim
