// Runs the contenders in turn and takes their times.
#pragma once

#include "tests/bench/results.hpp"

#include <vector>

namespace switchyard::bench {

// Collective over MPI_COMM_WORLD; the results are complete on rank 0.
std::vector<Result> measure(const Options& options, const std::vector<Contender>& contenders);

} // namespace switchyard::bench
