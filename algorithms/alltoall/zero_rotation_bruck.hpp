// The uniform exchange that non-uniform ones build on.
#pragma once

#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms::alltoall {

// Takes zero_rotation_bruck_scratch_bytes(...) of the workspace that is left.
Status zero_rotation_bruck(const Exchange& exchange, Context& context);

} // namespace switchyard::algorithms::alltoall
