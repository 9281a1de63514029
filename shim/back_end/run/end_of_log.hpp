// The end of a run's log: the ranks' records become calls.jsonl.
#pragma once

#include "shim/back_end/communicator/communicators.hpp"
#include "shim/back_end/process/process.hpp"

namespace switchyard::shim {

// Each communicator's calls are merged by its leader. Rank 0 writes the leaders' calls in the order of time,
// closes run.json and says where the log is. Then the ranks' own files are removed. Collective over the run's
// world. If a rank has no memory for its part, all ranks leave their records as they are.
void end_log(Process& self, const CallCounts& counts);

} // namespace switchyard::shim
