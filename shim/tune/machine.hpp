// How the benchmark is started: under somebody's launcher, or on a simulated machine.
#pragma once

#include "schedule.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

struct Machine {
    std::vector<std::string> launcher; // and its options
    std::string benchmark;             // program
    std::string command;               // switchyard itself; "" where nothing can be put in front of a program
    std::string platform;              // simulated; "" for a real one
    std::vector<std::string> in_order; // options of the launcher for the algorithms that need them,
    std::vector<std::string> needing_order; // which are these
    std::shared_ptr<void> files;            // what the launcher reads; goes with the last copy

    std::vector<std::string> words(const std::vector<std::string>& arguments, bool ordered = false) const;
    // The same under a policy, without a log.
    std::vector<std::string> words_under(const std::filesystem::path& policy,
                                         const std::vector<std::string>& arguments) const;
};

// The MPI families that `real_machine` takes.
std::vector<std::string> mpi_names();

// `launcher`: a command line, or "" for mpirun with a rank for each core; `mpi`: one of `mpi_names`, or "" for
// the family that the launcher's --version names. Throws std::runtime_error with a sentence for people.
Machine real_machine(const std::string& launcher, const std::string& mpi);

// `platform`: polaris, fugaku, or a file of SimGrid's with hosts node-0 and up.
Machine simulated_machine(const std::string& platform, int ranks, int ranks_per_node);

// Whether a candidate must run by itself under `Machine::in_order`.
bool needs_order(const Machine& machine, const std::string& candidate);

} // namespace switchyard::shim::tune
