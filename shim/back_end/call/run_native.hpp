// The MPI library's own collective, with the program's arguments or with copies of its device buffers.
#pragma once

#include "call_context.hpp"
#include "device_call.hpp"

#include <optional>

namespace switchyard::shim {

// For a call whose choice is native; records the call. Returns the code for the application; an error of ours
// has been reported to its error handler, as MPI does with its own.
int run_native(const CallContext& context, const Decision& decision, log::CallRecord& record,
               std::optional<DeviceCall>& device);

// Whether every rank sees from its own arguments that MPI's own collective takes the call.
bool is_surely_native(const CallContext& context, const Plan& plan);
// Runs such a call, and at most records it.
int run_surely_native(const CallContext& context, Plan& plan);

} // namespace switchyard::shim
