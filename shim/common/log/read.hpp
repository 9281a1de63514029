// A run's log as it lies on disk, complete or not.
#pragma once

#include <functional>
#include <string>

namespace switchyard::shim::log {

struct LoggedRun {
    std::string directory;
    std::string run_json; // text; "" where there is none
    bool complete = false;
    bool summary = false; // lines stand for several calls each
};

// Throws std::runtime_error with a sentence for people where that is no log.
LoggedRun open_run(const std::string& directory);

// Every line of the log, in the order of time. A run that was killed has no calls.jsonl: its lines are made
// from the ranks' records.
void for_each_line(const LoggedRun& run, const std::function<void(const std::string& line)>& use);

} // namespace switchyard::shim::log
