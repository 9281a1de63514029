// How much scratch memory each algorithm takes, exactly, from values that are the same on all ranks. The
// algorithms lay out their memory by the same functions.
#pragma once

#include "algorithms/patterns/auxiliary_buffers.hpp"
#include "algorithms/patterns/index_sets.hpp"
#include "algorithms/patterns/radix.hpp"
#include "algorithms/traits.hpp"
#include "algorithms/workspace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace switchyard::algorithms::patterns {

struct TunaLayout {
    std::size_t size_bytes = 0;    // of one block size as it travels
    std::size_t slots = 0;         // blocks in the temporary buffer T
    std::size_t message_bytes = 0; // of the outgoing, and of the incoming, buffer: sizes, then blocks
};

inline TunaLayout tuna_layout(int ranks, std::size_t max_block, const Parameters& parameters) {
    if (ranks < 2 || max_block == 0) {
        return {}; // nothing travels
    }
    const auto radix = static_cast<int>(parameters[Parameter::radix]);
    const bool separate = parameters[Parameter::metadata] == static_cast<std::int64_t>(Metadata::separate);
    const auto most = static_cast<std::size_t>(most_blocks(ranks, radix));

    TunaLayout layout;
    layout.size_bytes = max_block <= std::numeric_limits<std::uint32_t>::max() ? sizeof(std::uint32_t)
                                                                               : sizeof(std::uint64_t);
    layout.slots = static_cast<std::size_t>(slots(ranks, radix));
    if (most > 1) {
        layout.message_bytes = most * (layout.size_bytes + max_block);
    } else if (separate) {
        layout.message_bytes = layout.size_bytes; // direct blocks only, which need no buffer
    }
    return layout;
}

inline std::size_t tuna_scratch_bytes(int ranks, std::size_t max_block, const Parameters& parameters) {
    const TunaLayout layout = tuna_layout(ranks, max_block, parameters);
    return Workspace::rounded(layout.slots * max_block) +
           Workspace::rounded(layout.slots * layout.size_bytes) +
           2 * Workspace::rounded(layout.message_bytes);
}

// Bytes of the outgoing, and of the incoming, buffer: rounds with one block need none.
inline std::size_t zero_rotation_bruck_message_bytes(int ranks, std::size_t block) {
    const int most = most_blocks(ranks, 2);
    return most > 1 ? static_cast<std::size_t>(most) * block : 0;
}

inline std::size_t zero_rotation_bruck_scratch_bytes(int ranks, std::size_t block, const Parameters&) {
    return 2 * Workspace::rounded(zero_rotation_bruck_message_bytes(ranks, block));
}

inline std::size_t bruck_allgather_scratch_bytes(int ranks, std::size_t block, const Parameters&) {
    return ranks > 1 ? Workspace::rounded(static_cast<std::size_t>(ranks) * block) : 0;
}

// Where one phase of in_place puts what it asks of one source: into free space, then into its auxiliary
// buffer.
struct Room {
    Piece free, ahead;
    bool asks = false; // also for nothing, while something is left
};

struct InPlaceLayout {
    std::size_t ranks, subsets, order;
    std::size_t buffers, buffer_bytes; // auxiliary ones
};

// It depends on the ranks and the auxiliary memory, never on what is exchanged.
inline InPlaceLayout in_place_layout(int ranks, const Parameters& parameters) {
    const auto p = static_cast<std::size_t>(ranks);
    // Nothing lies in a lone rank's way.
    const std::size_t bytes = p > 1 ? static_cast<std::size_t>(parameters[Parameter::auxiliary_bytes]) : 0;
    const auto asked = static_cast<std::size_t>(parameters[Parameter::buffers]);
    const std::size_t buffers = std::max<std::size_t>(1, std::min({asked, bytes, p}));
    return {p, IndexSets::most_subsets(p), IndexSets::order_entries(p), buffers, bytes / buffers};
}

inline std::size_t in_place_scratch_bytes(int ranks, std::size_t, const Parameters& parameters) {
    const InPlaceLayout layout = in_place_layout(ranks, parameters);
    return Workspace::rounded(layout.ranks * sizeof(SendSet)) +
           Workspace::rounded(layout.ranks * sizeof(ReceiveSet)) +
           Workspace::rounded(layout.subsets * sizeof(SendSubset)) +
           Workspace::rounded(layout.order * sizeof(int)) +
           Workspace::rounded(layout.subsets * sizeof(Piece)) +
           Workspace::rounded(layout.ranks * sizeof(Room)) +
           2 * Workspace::rounded(layout.ranks * sizeof(std::uint64_t)) +
           Workspace::rounded(layout.buffers * sizeof(AuxiliaryBuffer)) +
           Workspace::rounded(layout.buffers * layout.buffer_bytes);
}

} // namespace switchyard::algorithms::patterns
