// Copies inside a rank.
#pragma once

#include "exchange.hpp"
#include "wire.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace switchyard::algorithms {

// memcpy that accepts null addresses where there are no bytes. Empty blocks can have null addresses.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (bytes != 0) {
        std::memcpy(to, from, bytes);
    }
}

// Copies a rank's block for itself. The block takes no part in the exchange.
inline Status copy_own_block(const Exchange& exchange) {
    const int self = exchange.group.rank;
    const std::size_t room = exchange.recv_size(self), size = exchange.send_size(self);
    copy_bytes(exchange.recv_from(self), exchange.send_to(self), std::min(size, room));
    return {size <= room ? MPI_SUCCESS : MPI_ERR_TRUNCATE};
}

// Copies the one block that this rank sends to everybody, unless the block already lies at `to`.
inline void copy_contribution(const Exchange& exchange, std::byte* to) {
    const std::byte* own = exchange.send_base + exchange.send.front().offset;
    if (own != to) {
        copy_bytes(to, own, exchange.send.front().size);
    }
}

} // namespace switchyard::algorithms
