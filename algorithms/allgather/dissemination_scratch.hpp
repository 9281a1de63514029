// The workspace of dissemination.
#pragma once

#include "algorithms/traits.hpp"
#include "algorithms/transport/messages/part.hpp"
#include "algorithms/workspace.hpp"

#include <cstddef>

namespace switchyard::algorithms::allgather {

// The most parts of one message: it carries at most half of the blocks.
inline std::size_t dissemination_parts(int ranks) {
    return static_cast<std::size_t>(ranks / 2);
}

inline std::size_t dissemination_scratch_bytes(const GroupShape& shape, std::size_t, const Parameters&) {
    return Workspace::rounded(dissemination_parts(shape.ranks) * sizeof(Part));
}

} // namespace switchyard::algorithms::allgather
