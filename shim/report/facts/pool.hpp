// The runs of a folder, pooled: a pool has the runs of one program with one number of ranks.
#pragma once

#include "shim/report/read/profile.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

// What a run took; 0: not known.
struct RunFigures {
    std::string started;
    double wall_us = 0;
    double collectives_us = 0, agreeing_us = 0; // of the average rank
    double counted_us = 0;                      // in collectives that are only counted
};

struct Pool {
    Profile sum;                      // the calls of all its runs, and the facts of the first run
    std::vector<RunFigures> runs;     // in the order of their start
    std::vector<std::string> remarks; // sentences on what its runs do not have in common, and on damage

    // One run's part of a sum over all runs.
    double per_run(double sum_of_all) const {
        return runs.empty() ? 0 : sum_of_all / static_cast<double>(runs.size());
    }
    double wall_us() const; // of all runs; 0: not known for every run
    bool is_of(const RunFacts& run) const {
        return sum.run.program == run.program && sum.run.ranks == run.ranks;
    }
};

struct PooledFolder {
    std::string path;
    std::vector<Pool> pools;          // in the order of their first runs
    std::vector<std::string> remarks; // sentences on runs that are left out
};

// Killed runs are left out if a run of the same program and ranks reached its end. So are runs that
// cannot be read, unless there is no other run. Throws std::runtime_error with a sentence for
// people if no run can be read.
PooledFolder pool_runs(const std::string& path);

// A pool of one run.
Pool pool_of(Profile run);

} // namespace switchyard::shim::report
