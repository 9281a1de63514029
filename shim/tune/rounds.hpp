// Runs a program in turn without switchyard, under it with all calls left to MPI, and under a policy.
#pragma once

#include "shim/report/facts/pool.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

struct Program {
    std::vector<std::string> launcher; // command and options
    std::string switchyard;            // the command that stands before the program
    std::vector<std::string> words;    // the program and its arguments

    std::vector<std::string> bare() const;
    // `options`: of `switchyard run`.
    std::vector<std::string> under(const std::vector<std::string>& options) const;
    std::string text() const; // `./app input`
};

struct RoundsOptions {
    int rounds = 5;
    std::string policy;             // file; "": the policy that `switchyard run` takes by default
    std::filesystem::path logs;     // folder of the logs: gets the folders `native` and `policy`
    std::optional<std::regex> same; // finds lines of stdout that all runs must print alike
    std::function<void(const std::string&)> say = [](const std::string&) {}; // one line for each round
};

struct Rounds {
    // Wall times are those of the whole command, the launcher included. Of the bare runs,
    // only the wall time is known.
    report::Pool bare, native, routed;
    std::filesystem::path native_logs, routed_logs;
    std::size_t same_lines = 0; // of each run
};

// Throws Stopped; std::runtime_error with a sentence for people if a run fails, writes no
// log, or prints other lines.
Rounds run_in_rounds(const Program& program, const RoundsOptions& options);

// A name in `parent` that no other proof has: `app.20261124-170350.6993` for `name` app.
std::filesystem::path dated_folder(const std::filesystem::path& parent, const std::string& name);

// Runs the program once under switchyard with all calls left to MPI and with full logging. Returns the
// seconds it took. Throws like run_in_rounds.
double record(const Program& program, const std::filesystem::path& logs);

} // namespace switchyard::shim::tune
