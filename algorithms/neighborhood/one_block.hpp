// The blocks of a rank's send side, whether it has a block for each neighbour or one for all.
#pragma once

#include "algorithms/exchange.hpp"
#include "algorithms/neighborhood.hpp"
#include "algorithms/transport/messages/copy.hpp"

#include <algorithm>
#include <cstddef>

namespace switchyard::algorithms::neighborhood {

// The block for destination `number`.
inline const Block& sent_block(const Exchange& exchange, int number) {
    return exchange.send[std::min(static_cast<std::size_t>(number), exchange.send.size() - 1)];
}

// Copies the blocks for the rank itself.
inline Status copy_own_blocks(const Exchange& exchange) {
    Status status;
    for (const auto& [sent, received] : exchange.group.neighborhood->own()) {
        const Block& block = sent_block(exchange, sent);
        const std::size_t room = exchange.recv_size(received);
        copy_bytes(exchange.recv_from(received), exchange.send_base + block.offset,
                   std::min(block.size, room));
        status.keep(fits(block.size, room));
    }
    return status;
}

} // namespace switchyard::algorithms::neighborhood
