// The workspace of bruck: all blocks. `block`: their mean.
#pragma once

#include "algorithms/traits.hpp"
#include "algorithms/workspace.hpp"

#include <cstddef>

namespace switchyard::algorithms::allgather {

inline std::size_t bruck_scratch_bytes(const GroupShape& shape, std::size_t block, const Parameters&) {
    return shape.ranks > 1 ? Workspace::rounded(static_cast<std::size_t>(shape.ranks) * block) : 0;
}

} // namespace switchyard::algorithms::allgather
