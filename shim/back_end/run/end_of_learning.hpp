// What a run has learned, at its end.
#pragma once

#include "shim/back_end/process/process.hpp"

namespace switchyard::shim::adaptive {

// Whether anything is learned; the same on all ranks.
bool is_used(const Process& self);

// Collective over the run, where something is learned and logged: writes learned.policy.json beside the log, and
// gives on rank 0 what run.json says of it.
nlohmann::ordered_json collect(Process& self);

} // namespace switchyard::shim::adaptive
