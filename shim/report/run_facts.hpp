// What run.json says of a run, and which of it can be had where there is none.
#pragma once

#include "shim/common/log/read.hpp"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace switchyard::shim::report {

struct RunFacts {
    std::string directory;
    std::string program, command_line, started, mpi_library, version, policy_file, policy;
    std::string detail; // SWITCHYARD_DETAIL
    std::vector<std::string> hosts;
    int ranks = 0;             // 0: not known
    double wall_us = 0;        // from the run's start to MPI_Finalize; 0: not known
    bool partial = false;      // the run did not reach its end
    bool sessions = false;     // no MPI_Init was seen, so its ranks could not merge their records
    bool summary = false;      // lines stand for several calls each
    std::uint64_t dropped = 0; // records that found no room
};

// Never throws over what the file says or lacks, but std::runtime_error where the log is of a version whose
// lines may mean something else.
RunFacts facts_of(const log::LoggedRun& run);

// The run to report on: `path` itself where it is a run's folder, else the run inside it that started last.
// `others` gets the names of the other runs that were passed over. Throws std::runtime_error with a sentence
// for people.
log::LoggedRun find_run(const std::string& path, std::vector<std::string>& others);
// The same, and where there was a choice a line to `notes` says which run was taken.
log::LoggedRun find_run_saying(const std::string& path, std::ostream& notes);

} // namespace switchyard::shim::report
