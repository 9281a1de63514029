// Direct exchange with partners by distance, which the linear algorithms share.
#pragma once

#include "copy.hpp"
#include "exchange.hpp"
#include "patterns/batches.hpp"
#include "wire.hpp"

#include <cstdint>

namespace switchyard::algorithms {

// Sends to the ranks first <= distance < last places up, receives from the ranks as many places down, and
// waits for all of them. All ranks use the same range, so every message that one rank waits for is sent by
// its partner in the same call, and nothing blocks for ever.
inline Status exchange_with(int first, int last, const Exchange& exchange, Wire& wire) {
    for (int distance = first; distance < last; ++distance) {
        const int source = exchange.group.down(distance);
        wire.receive(source, exchange.recv_from(source), exchange.recv_size(source));
    }
    for (int distance = first; distance < last; ++distance) {
        const int destination = exchange.group.up(distance);
        wire.send(destination, exchange.send_to(destination), exchange.send_size(destination));
    }
    return wire.wait_all();
}

// The whole exchange: the own block, then `partners` partners at a time, the nearest first.
inline Status exchange_in_batches(std::int64_t partners, const Exchange& exchange, Wire& wire) {
    Status status = copy_own_block(exchange);
    for (patterns::Batch batch(exchange.group.size, partners); batch.valid(); batch.advance()) {
        status.keep(exchange_with(batch.first(), batch.last(), exchange, wire));
    }
    return status;
}

} // namespace switchyard::algorithms
