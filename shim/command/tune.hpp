// `switchyard tune`: a policy from measurements.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace switchyard::shim::command {

struct TuneOptions {
    std::string output;   // policy file
    std::string launcher; // command line; "": mpirun with a rank for each core
    std::string mpi;      // openmpi, mpich; "": as the launcher says
    std::string log;      // a run's log, whose calls are to be served; "": a grid
    std::string budget;   // "3m"; "": 3 minutes, or as long as a simulation takes
    std::vector<std::string> collectives;
    std::vector<std::size_t> blocks;
    std::vector<int> ranks;   // of communicators; a simulated world has the largest
    std::string distribution; // "": uniform
    std::string platform;     // simulated; "": this machine
    int simulated_ranks_per_node = 32;
    bool dry_run = false;
};

// The exit code: 0, 1 where it failed, 130 where somebody stopped it.
int tune(const TuneOptions& options);

} // namespace switchyard::shim::command
