// How much scratch memory each algorithm takes, exactly, from values that are the same on all ranks. The
// algorithms lay out their memory by the same functions.
#pragma once

#include "algorithms/part.hpp"
#include "auxiliary_buffers.hpp"
#include "batches.hpp"
#include "index_sets.hpp"
#include "packed_sizes.hpp"
#include "radix.hpp"
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
    std::size_t lanes = 0;         // rounds under way at the same time, each with a message out and one in
    std::size_t message_bytes = 0; // of one of those: sizes, then blocks
};

inline TunaLayout tuna_layout(int ranks, std::size_t max_block, const Parameters& parameters) {
    if (ranks < 2 || max_block == 0) {
        return {}; // nothing travels
    }
    const auto radix = static_cast<int>(parameters[Parameter::radix]);
    const bool separate = parameters[Parameter::metadata] == static_cast<std::int64_t>(Metadata::separate);
    const auto most = static_cast<std::size_t>(most_blocks(ranks, radix));

    TunaLayout layout;
    layout.size_bytes = narrowest(max_block);
    if (separate) layout.size_bytes = std::max(layout.size_bytes, sizeof(std::uint32_t)); // the paper's
    layout.slots = static_cast<std::size_t>(slots(ranks, radix));
    layout.lanes = static_cast<std::size_t>(std::min<std::int64_t>(
        {parameters[Parameter::in_flight], Round(ranks, radix).left_in_digit(), largest_batch}));
    if (most > 1) {
        layout.message_bytes = most * (layout.size_bytes + max_block);
    } else if (separate) {
        layout.message_bytes = layout.size_bytes; // direct blocks only, which need no buffer
    }
    return layout;
}

inline std::size_t tuna_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                      const Parameters& parameters) {
    const TunaLayout layout = tuna_layout(shape.ranks, max_block, parameters);
    return Workspace::rounded(layout.slots * max_block) +
           Workspace::rounded(layout.slots * layout.size_bytes) +
           2 * layout.lanes * Workspace::rounded(layout.message_bytes);
}

// Bytes of the outgoing, and of the incoming, buffer: rounds with one block need none.
inline std::size_t zero_rotation_bruck_message_bytes(int ranks, std::size_t block) {
    const int most = most_blocks(ranks, 2);
    return most > 1 ? static_cast<std::size_t>(most) * block : 0;
}

inline std::size_t zero_rotation_bruck_scratch_bytes(const GroupShape& shape, std::size_t block,
                                                     const Parameters&) {
    return 2 * Workspace::rounded(zero_rotation_bruck_message_bytes(shape.ranks, block));
}

// The same in any base.
inline std::size_t parameterized_bruck_message_bytes(int ranks, std::size_t block,
                                                     const Parameters& parameters) {
    const int most = most_blocks(ranks, static_cast<int>(parameters[Parameter::radix]));
    return most > 1 ? static_cast<std::size_t>(most) * block : 0;
}

inline std::size_t parameterized_bruck_scratch_bytes(const GroupShape& shape, std::size_t block,
                                                     const Parameters& parameters) {
    return 2 * Workspace::rounded(parameterized_bruck_message_bytes(shape.ranks, block, parameters));
}

// Basic and modified Bruck: an outgoing and an incoming message, for rounds of one block too, as it arrives
// where it is sent from.
inline std::size_t packed_bruck_message_bytes(int ranks, std::size_t block) {
    return static_cast<std::size_t>(most_blocks(ranks, 2)) * block;
}

inline std::size_t packed_bruck_scratch_bytes(const GroupShape& shape, std::size_t block, const Parameters&) {
    return 2 * Workspace::rounded(packed_bruck_message_bytes(shape.ranks, block));
}

// The variants with derived datatypes: a block for every other rank, and the places of one message.
inline std::size_t typed_bruck_scratch_bytes(const GroupShape& shape, std::size_t block, const Parameters&) {
    return Workspace::rounded(static_cast<std::size_t>(shape.ranks - 1) * block) +
           Workspace::rounded(static_cast<std::size_t>(most_blocks(shape.ranks, 2)) * sizeof(Part));
}

// The places of the blocks of one message: half of all, all but one.
inline std::size_t dissemination_parts(int ranks) {
    return static_cast<std::size_t>(ranks / 2);
}

inline std::size_t dissemination_scratch_bytes(const GroupShape& shape, std::size_t, const Parameters&) {
    return Workspace::rounded(dissemination_parts(shape.ranks) * sizeof(Part));
}

inline std::size_t recursive_doubling_parts(int ranks) {
    return static_cast<std::size_t>(ranks - 1);
}

inline std::size_t recursive_doubling_scratch_bytes(const GroupShape& shape, std::size_t, const Parameters&) {
    return Workspace::rounded(recursive_doubling_parts(shape.ranks) * sizeof(Part));
}

// Bytes of a buffer in which every rank's block is as long as the largest.
inline std::size_t padded_bytes(int ranks, std::size_t max_block) {
    return ranks > 1 ? static_cast<std::size_t>(ranks) * max_block : 0;
}

inline std::size_t padded_alltoall_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                                 const Parameters&) {
    return 2 * Workspace::rounded(padded_bytes(shape.ranks, max_block));
}

// The two padded buffers, offset and size of each place in them, and what the uniform exchange takes.
inline std::size_t padded_bruck_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                              const Parameters& parameters) {
    if (padded_bytes(shape.ranks, max_block) == 0) {
        return 0;
    }
    return padded_alltoall_scratch_bytes(shape, max_block, parameters) +
           Workspace::rounded(static_cast<std::size_t>(shape.ranks) * 2 * sizeof(std::size_t)) +
           zero_rotation_bruck_scratch_bytes(shape, max_block, parameters);
}

struct TwoPhaseLayout {
    std::size_t ranks = 0;         // 0: nothing travels
    std::size_t size_bytes = 0;    // of one block size as it travels
    std::size_t working_bytes = 0; // of the monolithic working buffer
    std::size_t most_blocks = 0;   // in one step
    std::size_t message_bytes = 0; // of the outgoing, and of the incoming, buffer
};

inline TwoPhaseLayout two_phase_layout(int ranks, std::size_t max_block) {
    if (ranks < 2 || max_block == 0) {
        return {};
    }
    TwoPhaseLayout layout;
    layout.ranks = static_cast<std::size_t>(ranks);
    layout.size_bytes = max_block <= std::numeric_limits<std::uint32_t>::max() ? sizeof(std::uint32_t)
                                                                               : sizeof(std::uint64_t);
    layout.working_bytes = layout.ranks * max_block;
    layout.most_blocks = static_cast<std::size_t>(most_blocks(ranks, 2));
    layout.message_bytes = layout.most_blocks * max_block;
    return layout;
}

// Working buffer, a byte of status and the size of each block, and both ways a step's sizes and blocks.
inline std::size_t two_phase_bruck_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                                 const Parameters&) {
    const TwoPhaseLayout layout = two_phase_layout(shape.ranks, max_block);
    return Workspace::rounded(layout.working_bytes) + Workspace::rounded(layout.ranks) +
           Workspace::rounded(layout.ranks * layout.size_bytes) +
           2 * Workspace::rounded(layout.most_blocks * layout.size_bytes) +
           2 * Workspace::rounded(layout.message_bytes);
}

inline std::size_t bruck_allgather_scratch_bytes(const GroupShape& shape, std::size_t block,
                                                 const Parameters&) {
    return shape.ranks > 1 ? Workspace::rounded(static_cast<std::size_t>(shape.ranks) * block) : 0;
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

inline std::size_t in_place_scratch_bytes(const GroupShape& shape, std::size_t,
                                          const Parameters& parameters) {
    const InPlaceLayout layout = in_place_layout(shape.ranks, parameters);
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
