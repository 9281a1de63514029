// Runs a command and hands on its lines as they come.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// From now on SIGINT, SIGTERM and SIGHUP do not end the process but make stop_wanted() true, so that the
// caller can shut down in order. A file at its size limit makes write() fail instead of raising a signal.
void hold_back_signals();
bool stop_wanted();

struct Launched {
    enum class End { exited, timed_out, stopped, not_started };
    End end = End::exited;
    int status = 0; // exit status, or 128 + the signal
    std::string
        complaint; // the last lines of stderr (of stdout, if that is empty), or why it was not started
    double seconds = 0;
    bool succeeded() const { return end == End::exited && status == 0; }
    std::string why() const; // one sentence for people: how it ended, and its last words
};

struct LaunchOptions {
    double time_limit = 0; // seconds until SIGTERM; SIGKILL follows 5 s later. 0: no limit
    std::function<void(const std::string&)> on_line = [](const std::string&) {}; // of stdout
    std::function<void()> on_tick = [] {};                                       // several times a second
};

// The command has a process group of its own, so that its children end with it. Its stdin is empty.
Launched launch(const std::vector<std::string>& words, const LaunchOptions& options);

} // namespace switchyard::shim::tune
