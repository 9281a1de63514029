// What the padded algorithms have in common: blocks of different sizes as blocks of one size. Slot i of a
// padded buffer, at i * max_block, is rank i's. The own block takes no part: it may be larger than a slot.
#pragma once

#include "algorithms/copy.hpp"
#include "algorithms/exchange.hpp"

#include <algorithm>
#include <cstddef>

namespace switchyard::algorithms::alltoallv {

// Phase (a). What is in a slot beyond its block stays as it was: nobody looks at it.
inline void pad(const Exchange& exchange, std::byte* padded) {
    for (int destination = 0; destination < exchange.group.size; ++destination) {
        if (destination != exchange.group.rank) {
            copy_bytes(padded, exchange.send_to(destination), exchange.send_size(destination));
        }
        padded += exchange.max_block;
    }
}

// Phase (c). An application that expects more than anybody sends gets no more than there is; one that expects
// less than was sent to it cannot be told, since sizes do not travel, but nothing is overrun.
inline void scan(const Exchange& exchange, const std::byte* padded) {
    for (int source = 0; source < exchange.group.size; ++source) {
        if (source != exchange.group.rank) {
            copy_bytes(exchange.recv_from(source), padded,
                       std::min(exchange.recv_size(source), exchange.max_block));
        }
        padded += exchange.max_block;
    }
}

} // namespace switchyard::algorithms::alltoallv
