// Reads a run's log, complete or not.
#pragma once

#include "merge.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace switchyard::shim::log {

struct LoggedRun {
    std::string directory;
    std::string run_json; // its text; "" where there is no run.json
    bool complete = false;
    bool summary = false; // each line stands for several calls
    int ranks = 1;
};

// Throws std::runtime_error with a sentence for people if the folder is no log.
LoggedRun open_run(const std::string& directory);

// A call of a run without an end, merged from the ranks' records.
struct RecordedCall {
    std::uint64_t number; // from 1, in the order of time
    const MergedCall& call;
    const CommunicatorName& communicator;
    const std::string& decision; // at one address for all calls with this text
};

struct LogUse {
    std::function<void(const std::string&)> line;
    std::function<void(const RecordedCall&)> call;
    std::function<void()> damaged_record;
};

// Calls `use` for everything in the log, in the order of time: for its lines, or, since a killed run has no
// calls.jsonl, for the calls that its ranks recorded. Throws std::runtime_error with a sentence for people if
// a file cannot be read.
void read_log(const LoggedRun& run, const LogUse& use);

} // namespace switchyard::shim::log
