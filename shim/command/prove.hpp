// `switchyard prove`: whether a program is faster under a policy.
#pragma once

#include <string>
#include <vector>

namespace switchyard::shim::command {

struct ProveOptions {
    std::string policy;   // file; "": the default policy
    std::string launcher; // command line; "": mpirun with one rank for each core
    std::string log;      // folder for the logs; "": a new one in switchyard-proofs
    std::string same;     // regular expression of the lines that all runs print alike; "": none
    int rounds = 5;
    std::vector<std::string> program; // and its arguments
};

// Returns the exit code: 0; 1 for an error; 130 if it was stopped.
int prove(const ProveOptions& options);

} // namespace switchyard::shim::command
