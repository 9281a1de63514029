// The workspace of recursive_doubling.
#pragma once

#include "algorithms/traits.hpp"
#include "algorithms/transport/messages/part.hpp"
#include "algorithms/workspace.hpp"

#include <cstddef>

namespace switchyard::algorithms::allgather {

// The most parts of one message: it carries all blocks but one.
inline std::size_t recursive_doubling_parts(int ranks) {
    return static_cast<std::size_t>(ranks - 1);
}

inline std::size_t recursive_doubling_scratch_bytes(const GroupShape& shape, std::size_t, const Parameters&) {
    return Workspace::rounded(recursive_doubling_parts(shape.ranks) * sizeof(Part));
}

} // namespace switchyard::algorithms::allgather
