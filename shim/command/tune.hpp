// `switchyard tune`: a policy from measurements.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace switchyard::shim::command {

struct TuneOptions {
    std::string output;    // policy file
    std::string launcher;  // command line; "": mpirun with one rank for each core
    std::string mpi;       // one of tune::mpi_names; "": as the launcher says
    std::string benchmark; // program; "": the one beside this command
    std::string log;       // of a run whose calls are measured; "": a grid is measured
    std::string
        program;    // command line: its calls are recorded and measured, and it proves the policy; "": none
    int rounds = 5; // of that proof
    std::string budget; // "3m"; "": 3 minutes, for a simulation no limit
    std::vector<std::string> collectives;
    std::vector<std::size_t> blocks;
    std::vector<int> ranks;   // sizes of communicators; a simulated world has the largest of them
    std::string distribution; // "": uniform
    std::string platform;     // a simulated machine; "": this machine
    int simulated_ranks_per_node = 32;
    // The times come from `model`. With a `launcher` the rules are proved; without one nothing is measured.
    bool predict = false;
    std::string model; // machine file, or the name of an installed one
    bool dry_run = false;
};

// Returns the exit code: 0; 1 for an error; 130 if it was stopped.
int tune(const TuneOptions& options);

} // namespace switchyard::shim::command
