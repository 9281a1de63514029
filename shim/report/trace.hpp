// A log as a trace: Chrome's trace event format, which Perfetto and chrome://tracing open.
#pragma once

#include "shim/common/log/read.hpp"

#include <ostream>

namespace switchyard::shim::report {

// Process 1 has a track for each communicator, with a call from its first rank's arrival on for as long as
// its slowest rank took; where the next call begins sooner (ranks are not in step) it is cut there, since a
// track shows one thing at a time. With detail `ranks` process 2 has a track for each rank of the run. One
// event after the other is written while the log is read. Throws std::runtime_error for a summary, which
// knows no single calls.
void write_trace(const log::LoggedRun& run, std::ostream& out);

} // namespace switchyard::shim::report
