// The workspace of tuna.
#pragma once

#include "algorithms/block.hpp"
#include "algorithms/patterns/batches.hpp"
#include "algorithms/patterns/packed_sizes.hpp"
#include "algorithms/patterns/radix.hpp"
#include "algorithms/traits.hpp"
#include "algorithms/transport/messages/direct_blocks_scratch.hpp"
#include "algorithms/workspace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms::forwarding {

// What the walk over all rounds finds.
struct TunaShape {
    int ranks;
    std::size_t slots = 0;       // blocks in the temporary buffer T
    std::size_t most_blocks = 0; // of one round
    std::size_t in_flight = 0;   // rounds under way at the same time; each has a message out and a message in

    TunaShape(int all, const Parameters& parameters) : ranks(all) {
        if (ranks < 2) return; // nothing travels
        const patterns::Radices radices = parameters[Parameter::radix];
        slots = static_cast<std::size_t>(patterns::slots(ranks, radices));
        most_blocks = static_cast<std::size_t>(patterns::most_blocks(ranks, radices));
        in_flight = static_cast<std::size_t>(
            std::min<std::int64_t>({parameters[Parameter::in_flight], patterns::most_in_digit(ranks, radices),
                                    patterns::largest_batch}));
    }
};

struct TunaLayout {
    std::size_t size_bytes = 0;    // of one block size in a message
    std::size_t slot_bytes = 0;    // of a block in T
    std::size_t message_bytes = 0; // of the largest message: sizes, then blocks
    std::size_t scratch_bytes = 0; // of all

    // `max_block`: the bound of a forwarded block, forwarded_bound(). Messages say sizes.
    TunaLayout(const TunaShape& shape, std::size_t max_block, const Parameters& parameters)
        : TunaLayout(shape, patterns::FramedBlock::with_size(max_block), parameters) {}

    TunaLayout(const TunaShape& shape, const patterns::FramedBlock& framed, const Parameters& parameters) {
        const std::size_t block = framed.block_bytes;
        if (shape.ranks < 2 || block == 0) return; // nothing travels
        const bool separate = framed.size_bytes > 0 && parameters[Parameter::metadata] ==
                                                           static_cast<std::int64_t>(Metadata::separate);
        size_bytes = framed.size_bytes;
        if (separate) size_bytes = std::max(size_bytes, sizeof(std::uint32_t)); // as in the paper
        if (shape.most_blocks > 1 || sends_directly(parameters))
            message_bytes = shape.most_blocks * (size_bytes + block) + spare_bytes;
        else if (separate)
            message_bytes = size_bytes; // all blocks are direct and need no buffer
        slot_bytes = std::max(block, spare_bytes);
        scratch_bytes = direct_blocks_scratch_bytes(shape.ranks, parameters) +
                        Workspace::rounded(shape.slots * slot_bytes) +
                        Workspace::rounded(shape.slots * size_bytes) +
                        2 * shape.in_flight * Workspace::rounded(message_bytes);
    }
};

inline std::size_t tuna_scratch_bytes(const GroupShape& shape, std::size_t max_block,
                                      const Parameters& parameters) {
    return TunaLayout(TunaShape(shape.ranks, parameters), forwarded_bound(max_block, parameters), parameters)
        .scratch_bytes;
}

} // namespace switchyard::algorithms::forwarding
