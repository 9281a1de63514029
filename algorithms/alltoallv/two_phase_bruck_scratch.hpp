// The workspace of two_phase_bruck.
#pragma once

#include "algorithms/patterns/radix.hpp"
#include "algorithms/traits.hpp"
#include "algorithms/transport/messages/direct_blocks_scratch.hpp"
#include "algorithms/workspace.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace switchyard::algorithms::alltoallv {

struct TwoPhaseLayout {
    std::size_t ranks = 0;         // 0: nothing travels
    std::size_t size_bytes = 0;    // of one block size in a message
    std::size_t working_bytes = 0; // of the monolithic working buffer
    std::size_t most_blocks = 0;   // in one step
    std::size_t message_bytes = 0; // of the outgoing, and of the incoming, buffer
};

// `max_block`: the bound of a forwarded block, forwarded_bound().
inline TwoPhaseLayout two_phase_layout(int ranks, std::size_t max_block) {
    if (ranks < 2 || max_block == 0) return {};
    TwoPhaseLayout layout;
    layout.ranks = static_cast<std::size_t>(ranks);
    layout.size_bytes = max_block <= std::numeric_limits<std::uint32_t>::max() ? sizeof(std::uint32_t)
                                                                               : sizeof(std::uint64_t);
    layout.working_bytes = layout.ranks * max_block;
    layout.most_blocks = static_cast<std::size_t>(patterns::most_blocks(ranks, 2));
    layout.message_bytes = layout.most_blocks * max_block;
    return layout;
}

// The working buffer; a byte of status and the size of each block; the sizes and the
// blocks of one step, both ways.
inline std::size_t two_phase_bruck_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                                 const Parameters& parameters) {
    const TwoPhaseLayout layout = two_phase_layout(shape.ranks, forwarded_bound(max_block, parameters));
    if (layout.ranks == 0) return 0; // nothing travels
    return direct_blocks_scratch_bytes(shape.ranks, parameters) + Workspace::rounded(layout.working_bytes) +
           Workspace::rounded(layout.ranks) + Workspace::rounded(layout.ranks * layout.size_bytes) +
           2 * Workspace::rounded(layout.most_blocks * layout.size_bytes) +
           2 * Workspace::rounded(layout.message_bytes);
}

} // namespace switchyard::algorithms::alltoallv
