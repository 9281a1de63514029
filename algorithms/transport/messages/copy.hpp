// Copies inside a rank.
#pragma once

#include "algorithms/exchange.hpp"
#include "algorithms/status.hpp"
#include "simulation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace switchyard::algorithms {

// Copies `bytes` bytes, no fewer than one Word and no more than two, as two words that may overlap.
template <typename Word>
void copy_words(std::byte* to, const std::byte* from, std::size_t bytes) {
    Word first, last;
    std::memcpy(&first, from, sizeof(Word));
    std::memcpy(&last, from + bytes - sizeof(Word), sizeof(Word));
    std::memcpy(to, &first, sizeof(Word));
    std::memcpy(to + bytes - sizeof(Word), &last, sizeof(Word));
}

// memcpy for blocks. Most blocks are small: these are copied here, without a call. Where there are no bytes
// the addresses may be null, as those of empty blocks can be. The blocks do not overlap.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
    simulation::note_copy(bytes);
    if (bytes > 2 * sizeof(std::uint64_t))
        std::memcpy(to, from, bytes);
    else if (bytes >= sizeof(std::uint64_t))
        copy_words<std::uint64_t>(to, from, bytes);
    else if (bytes >= sizeof(std::uint32_t))
        copy_words<std::uint32_t>(to, from, bytes);
    else if (bytes >= sizeof(std::uint16_t))
        copy_words<std::uint16_t>(to, from, bytes);
    else if (bytes > 0)
        *to = *from;
}

// The same where both addresses have `spare_bytes` of our own memory, and the bytes behind
// the block do not matter.
inline void copy_spaciously(std::byte* to, const std::byte* from, std::size_t bytes) {
    simulation::note_copy(bytes);
    if (bytes > spare_bytes)
        std::memcpy(to, from, bytes);
    else
        std::memcpy(to, from, spare_bytes);
}

// Copies a rank's block for itself. The block takes no part in the exchange.
inline Status copy_own_block(const Exchange& exchange) {
    const int self = exchange.group.rank;
    const std::size_t room = exchange.recv_size(self), size = exchange.send_size(self);
    copy_bytes(exchange.recv_from(self), exchange.send_to(self), std::min(size, room));
    return fits(size, room);
}

// Copies the one block that this rank sends to everybody, unless the block already lies at `to`.
inline void copy_contribution(const Exchange& exchange, std::byte* to) {
    const std::byte* own = exchange.send_base + exchange.send.front().offset;
    if (own != to) {
        copy_bytes(to, own, exchange.send.front().size);
    }
}

} // namespace switchyard::algorithms
