// The MPI library's own collective, with the program's arguments or with copies of its device buffers.
#pragma once

#include "device_call.hpp"
#include "passage.hpp"

#include <optional>

namespace switchyard::shim {

// After the choice was native; records the call. Returns the code for the application; an error of ours has been reported
// to its error handler, as MPI does with its own.
int run_native(const Passage& passage, const Decision& decision, log::CallRecord& record,
               std::optional<DeviceCall>& device);

// On a communicator where every choice is native: at most a record is made.
int run_always_native(const Passage& passage, Plan& plan);

} // namespace switchyard::shim
