// Copies inside a rank.
#pragma once

#include "exchange.hpp"

#include <cstddef>
#include <cstring>

namespace switchyard::algorithms {

// memcpy, but nothing may also come from nowhere: empty blocks can have null addresses.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (bytes != 0) {
        std::memcpy(to, from, bytes);
    }
}

// The block that a rank has for itself; it takes no part in the exchange.
inline void copy_own_block(const Exchange& exchange) {
    const int self = exchange.group.rank;
    copy_bytes(exchange.recv_from(self), exchange.send_to(self), exchange.send_size(self));
}

// Allgather: what this rank contributes, which may already lie at its place.
inline void copy_contribution(const Exchange& exchange, std::byte* to) {
    const std::byte* own = exchange.send_base + exchange.send.front().offset;
    if (own != to) {
        copy_bytes(to, own, exchange.max_block);
    }
}

} // namespace switchyard::algorithms
