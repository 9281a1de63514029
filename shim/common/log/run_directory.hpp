// The folder of one run's log, and its run.json.
#pragma once

#include "counted_totals.hpp"
#include "folder.hpp"
#include "shim/common/native_facts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace switchyard::shim::log {

// The facts of run.json that are known when the run starts.
struct RunInfo {
    std::string program; // file name of the executable
    std::string started; // local time, 2026-11-21T09:30:00+0100
    long pid = 0;        // of rank 0
    int ranks = 0;
    std::vector<std::string> hosts; // by rank
    std::vector<std::string> command_line;
    std::string mpi_library;
    std::string network;                                       // tcp or rdma, as on rank 0's machine
    std::vector<std::pair<std::string, std::string>> settings; // variable, value in force
    std::string policy_file, policy;                           // path and text
    std::optional<NativeFacts> native;                         // of rank 0; where a log is written
    bool alone = false; // no MPI_Init was seen (sessions), so the ranks cannot merge their records
    mode_t file_mode = usual_file_mode; // of the log's files; not in run.json by itself
};

// The facts that are known when the run ends. Without them a log is partial.
struct RunEnd {
    std::uint64_t calls_seen = 0, calls_routed = 0, records_dropped = 0;
    double wall_s = 0;
    std::vector<CountedTotal> counted{}; // of functions that are only counted and were called
};

// Creates `<log>/<program>.<start>.<pid>`; it never uses an existing folder. Throws std::system_error.
Folder create_run_directory(const std::string& log, const RunInfo& info);
// The folder's name. A long program name is cut. Ranks that cannot talk to each other (sessions) get the same
// name from the same values.
std::string run_directory_name(const std::string& program, std::int64_t start_seconds, long pid);

// False: run.json could not be written. A reader never sees half of it.
bool write_run_json(const Folder& folder, const RunInfo& info, const RunEnd* end);
bool write_run_json(const std::string& directory, const RunInfo& info, const RunEnd* end);

// Facts of this process, for RunInfo.
std::string program_name();
std::vector<std::string> command_line();
std::string local_time(std::int64_t seconds);

} // namespace switchyard::shim::log
