// The workspace of shared.
#pragma once

#include "algorithms/transport/messages/direct_blocks_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

inline std::size_t shared_scratch_bytes(const GroupShape& shape, std::size_t, const Parameters& parameters) {
    return direct_blocks_scratch_bytes(shape.ranks, parameters);
}

} // namespace switchyard::algorithms::alltoallv
