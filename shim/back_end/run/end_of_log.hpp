// The end of a run: the ranks' records become calls.jsonl.
#pragma once

#include <string>
#include <vector>

namespace switchyard::shim {
struct Process;
}

namespace switchyard::shim::log {

// Collective over the run's world. Each communicator's calls are merged by its leader; rank 0 writes the
// leaders' calls in the order of time, closes run.json and says where the log is. Then the ranks' own files
// go.
void collect(Process& self);

// Every rank's text, on rank 0; collective.
std::vector<std::string> gather_texts(const std::string& text, const Process& self);

} // namespace switchyard::shim::log
