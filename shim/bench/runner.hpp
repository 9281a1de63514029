// Runs the contenders in turn and measures their times.
#pragma once

#include "algorithms/group.hpp"
#include "results.hpp"

#include <vector>

namespace switchyard::bench {

// Collective over the group. The results are complete on its rank 0. No results: some rank cannot measure.
std::vector<Result> measure(const Options& options, const std::vector<Contender>& contenders,
                            const algorithms::Group& group);

} // namespace switchyard::bench
