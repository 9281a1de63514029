// The facts of a run: from run.json, or as far as they are known without it.
#pragma once

#include "counted.hpp"
#include "shim/common/log/read.hpp"
#include "shim/common/native_facts.hpp"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace switchyard::shim::report {

struct RunFacts {
    std::string directory;
    std::string program, command_line, started, mpi_library, version, policy_file, policy;
    // mpi_library has only the first line, as people call it. command_line is for people: where a word ends is
    // in command_words.
    std::vector<std::string> command_words;
    std::string int_limit; // what a rank said before numbers ran over the end of an int; "": nothing
    std::string detail;    // SWITCHYARD_DETAIL
    std::string network;   // tcp or rdma; "": a log from before it was written
    std::vector<std::string> hosts;
    int ranks = 0;                     // 0: not known
    double wall_us = 0;                // from the run's start to MPI_Finalize; 0: not known
    bool partial = false;              // the run did not reach MPI_Finalize
    bool sessions = false;             // no MPI_Init was seen, so the ranks could not merge their records
    bool summary = false;              // each line stands for several calls
    std::vector<CountedKind> counted;  // collectives that no policy routes, the most time first
    std::optional<NativeFacts> native; // who ran the native calls, as far as the log says it
    std::uint64_t dropped = 0;         // records that had no room
    std::uint64_t calls_seen = 0;      // that switchyard counted until the end; 0: not known
};

// Throws std::runtime_error if the log is of a version whose lines may mean something else. It does not throw
// for anything else in the file that is missing or wrong.
RunFacts facts_of(const log::LoggedRun& run);

// The runs in a folder, in the order of their start; `path` itself if it is a run's folder. Throws
// std::runtime_error with a sentence for people if there is no run.
std::vector<std::string> runs_of(const std::string& path);

// `path` itself if it is a run's folder; else the run in it that started last, and `others` gets the names of
// its other runs. Throws std::runtime_error with a sentence for people.
log::LoggedRun find_run(const std::string& path, std::vector<std::string>& others);
// The same. If there are several runs, a line in `notes` says which run was taken.
log::LoggedRun find_run_saying(const std::string& path, std::ostream& notes);

} // namespace switchyard::shim::report
