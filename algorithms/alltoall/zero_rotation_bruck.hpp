// Bruck's exchange without rotations, which other algorithms build on.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/patterns/radices.hpp"

namespace switchyard::algorithms::alltoall {

// Takes zero_rotation_bruck_scratch_bytes(...) of the workspace that is left.
Status zero_rotation_bruck(const Exchange& exchange, Context& context);

// The same in any bases. Takes zero_rotation_bruck_scratch_in_base(...).
Status zero_rotation_bruck_in_base(patterns::Radices radices, const Exchange& exchange, Context& context);

} // namespace switchyard::algorithms::alltoall
