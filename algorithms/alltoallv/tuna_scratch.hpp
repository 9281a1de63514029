// The workspace of tuna.
#pragma once

#include "algorithms/patterns/batches.hpp"
#include "algorithms/patterns/packed_sizes.hpp"
#include "algorithms/patterns/radix.hpp"
#include "algorithms/straight_blocks_scratch.hpp"
#include "algorithms/traits.hpp"
#include "algorithms/workspace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms::alltoallv {

struct TunaLayout {
    std::size_t size_bytes = 0; // of one block size in a message
    std::size_t slots = 0;      // blocks in the temporary buffer T
    std::size_t in_flight = 0;  // rounds under way at the same time; each has a message out and a message in
    std::size_t message_bytes = 0; // of the largest message: sizes, then blocks
};

// `block`: the bound of a forwarded block, forwarded_bound().
inline TunaLayout tuna_layout(int ranks, std::size_t block, const Parameters& parameters) {
    if (ranks < 2 || block == 0) return {}; // nothing travels
    const auto radix = static_cast<int>(parameters[Parameter::radix]);
    const bool separate = parameters[Parameter::metadata] == static_cast<std::int64_t>(Metadata::separate);
    const auto most = static_cast<std::size_t>(patterns::most_blocks(ranks, radix));

    TunaLayout layout;
    layout.size_bytes = patterns::narrowest(block);
    if (separate) layout.size_bytes = std::max(layout.size_bytes, sizeof(std::uint32_t)); // as in the paper
    layout.slots = static_cast<std::size_t>(patterns::slots(ranks, radix));
    layout.in_flight = static_cast<std::size_t>(
        std::min<std::int64_t>({parameters[Parameter::in_flight],
                                patterns::Round(ranks, radix).left_in_digit(), patterns::largest_batch}));
    if (most > 1 || sends_straight(parameters)) {
        layout.message_bytes = most * (layout.size_bytes + block);
    } else if (separate) {
        layout.message_bytes = layout.size_bytes; // all blocks are direct and need no buffer
    }
    return layout;
}

inline std::size_t tuna_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                      const Parameters& parameters) {
    const std::size_t block = forwarded_bound(max_block, parameters);
    const TunaLayout layout = tuna_layout(shape.ranks, block, parameters);
    return straight_blocks_scratch_bytes(shape.ranks, parameters) + Workspace::rounded(layout.slots * block) +
           Workspace::rounded(layout.slots * layout.size_bytes) +
           2 * layout.in_flight * Workspace::rounded(layout.message_bytes);
}

} // namespace switchyard::algorithms::alltoallv
