// Spawned processes that take part for a step.
#pragma once

#include "lane.hpp"

namespace stress {

// In the parents, on all ranks of `root`, and in the children. Calls between them, and
// on a communicator of both.
void exchange_with_children(Lane& lane, MPI_Comm root, const Options& options, std::uint64_t step);
void exchange_with_parents(const Options& options);

} // namespace stress
