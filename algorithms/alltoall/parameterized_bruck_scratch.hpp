// The workspace of parameterized_bruck.
#pragma once

#include "zero_rotation_bruck_scratch.hpp"

namespace switchyard::algorithms::alltoall {

inline std::size_t parameterized_bruck_scratch_bytes(const GroupShape& shape, std::size_t block,
                                                     const Parameters& parameters) {
    return zero_rotation_bruck_scratch_in_base(shape.ranks, block, parameters[Parameter::radix]);
}

} // namespace switchyard::algorithms::alltoall
