// How to start the benchmark or a program: under a launcher, or on a simulated machine.
#pragma once

#include "rounds.hpp"
#include "schedule.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

struct Machine {
    std::vector<std::string> launcher; // command and options
    std::string benchmark;             // program
    std::string command;  // `switchyard`; "": nothing can be put before a program on this machine
    std::string platform; // simulated; "": a real one
    std::vector<std::string> in_order;      // more options of the launcher, which keep messages in order
    std::vector<std::string> needing_order; // the algorithms that need in_order
    std::shared_ptr<void> files;            // read by the launcher; deleted with the last copy

    // The command line of the benchmark. `ordered`: with in_order.
    std::vector<std::string> words(const std::vector<std::string>& arguments, bool ordered = false) const;
    // The same under `switchyard run`, with a policy and without a log.
    std::vector<std::string> words_under(const std::filesystem::path& policy,
                                         const std::vector<std::string>& arguments) const;
};

// The MPI families that `real_machine` takes.
std::vector<std::string> mpi_names();

// `launcher`: a command line, or "" for mpirun with a rank for each core; `mpi`: one of `mpi_names`, or ""
// for the family that the launcher's --version names; `benchmark`: a program, or "" for the one of that
// family next to this command. Throws std::runtime_error with a sentence for people.
Machine real_machine(const std::string& launcher, const std::string& mpi, const std::string& benchmark);

// `launcher`: as above.
Program program_of(const std::string& launcher, const std::vector<std::string>& program);

// `platform`: polaris, fugaku, or a platform file of SimGrid with hosts node-0, node-1 and so on.
Machine simulated_machine(const std::string& platform, int ranks, int ranks_per_node);

// Whether the candidate needs `Machine::in_order`, and so a launch of its own.
bool needs_order(const Machine& machine, const Candidate& candidate);

} // namespace switchyard::shim::tune
