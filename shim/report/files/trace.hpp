// A log as a trace in Chrome's trace event format, for Perfetto and chrome://tracing.
#pragma once

#include "shim/common/log/read.hpp"

#include <ostream>

namespace switchyard::shim::report {

// Process 1 has a track for each communicator. A call begins when its first rank arrives and lasts as long as
// its slowest rank takes. It is cut short if the next call begins earlier, since a track shows one thing at a
// time. With detail `ranks` process 2 has a track for each rank of the run, and each of its calls carries the
// number of its line in calls.jsonl. Inside a call stand its parts (parts.hpp). Events are written while the
// log is read. Throws std::runtime_error for a summary: it has no single calls.
void write_trace(const log::LoggedRun& run, std::ostream& out);

} // namespace switchyard::shim::report
