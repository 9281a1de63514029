// Runs the contenders in turn and takes their times.
#pragma once

#include "algorithms/group.hpp"
#include "results.hpp"

#include <vector>

namespace switchyard::bench {

// Collective over the group; the results are complete on its rank 0. None where some rank cannot.
std::vector<Result> measure(const Options& options, const std::vector<Contender>& contenders,
                            const algorithms::Group& group);

} // namespace switchyard::bench
