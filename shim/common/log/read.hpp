// Reads a run's log, complete or not.
#pragma once

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

// Calls `use` for every line of the log, in the order of time. A killed run has no calls.jsonl: its lines are
// made from the ranks' records, if they exist. A damaged record gives a line that is no call. Throws
// std::runtime_error with a sentence for people if a file cannot be read.
void for_each_line(const LoggedRun& run, const std::function<void(const std::string& line)>& use);

} // namespace switchyard::shim::log
