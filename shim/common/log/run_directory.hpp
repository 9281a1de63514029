// The directory of one run's log, and its run.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace switchyard::shim::log {

// What run.json says of a run; known when it starts.
struct RunInfo {
    std::string program; // file name of the executable
    std::string started; // local time, 2026-11-21T09:30:00+0100
    long pid = 0;        // of rank 0
    int ranks = 0;
    std::vector<std::string> hosts; // by rank
    std::vector<std::string> command_line;
    std::string mpi_library;
    std::vector<std::pair<std::string, std::string>> settings; // variable, value in force
    std::string policy_file, policy;                           // path and text
    bool alone = false; // MPI_Init was not seen (sessions): ranks could not merge their records
};

// And what only its end tells. Without it a log is partial.
struct RunEnd {
    std::uint64_t calls_seen = 0, calls_routed = 0, records_dropped = 0;
    double wall_s = 0;
    std::string adaptive{}; // a JSON array: what was learned; "": nothing was to be
};

// `<log>/<program>.<start>.<pid>`, made anew: never one that is there already. Throws std::system_error.
std::string create_run_directory(const std::string& log, const RunInfo& info);
// The name alone, for ranks that agreed on it without talking to each other.
std::string run_directory_name(const std::string& program, std::int64_t start_seconds, long pid);

// Writes run.json (a temporary file, then a rename: a reader never sees half of it). False: could not.
bool write_run_json(const std::string& directory, const RunInfo& info, const RunEnd* end);

// This process, for RunInfo.
std::string program_name();
std::vector<std::string> command_line();
std::string local_time(std::int64_t seconds);

} // namespace switchyard::shim::log
