// Runs a command and hands out its lines as they come.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// From now on SIGINT, SIGTERM and SIGHUP are kept in mind (stop_wanted) instead of ending the process, so that
// what was measured can be put in order; a file's size limit is an error of write() instead of a signal.
void hold_back_signals();
bool stop_wanted();

struct Launched {
    enum class End { exited, timed_out, stopped, not_started };
    End end = End::exited;
    int status = 0;        // exit status, or 128 and the signal
    std::string complaint; // the last lines of stderr, or why it was not started
    double seconds = 0;
    bool succeeded() const { return end == End::exited && status == 0; }
    std::string why() const; // one sentence for people: what it ended with, and its last words
};

struct LaunchOptions {
    double time_limit = 0; // seconds, then it is told to go and, 5 s later, made to; 0: none
    std::function<void(const std::string&)> on_line = [](const std::string&) {}; // of stdout
    std::function<void()> on_tick = [] {};                                       // several times a second
};

// In a process group of its own, so that it and all that it started can be ended together, with nothing on
// its stdin.
Launched launch(const std::vector<std::string>& words, const LaunchOptions& options);

} // namespace switchyard::shim::tune
