// Direct exchange with partners by distance, which the linear algorithms share.
#pragma once

#include "algorithms/exchange.hpp"
#include "algorithms/patterns/batches.hpp"
#include "messages/copy.hpp"
#include "messages/wire.hpp"

#include <cstdint>

namespace switchyard::algorithms {

// Sends to the ranks first <= distance < last places up, receives from the ranks as many places down, and
// waits for all transfers. All ranks use the same range, so every message that one rank waits for is sent by
// its partner in the same call, and nothing blocks for ever.
inline Status exchange_with(int first, int last, const Exchange& exchange, Wire& wire) {
    const Group& group = exchange.group;
    wire.receive_downwards(group.down(first), last - first, exchange.recv_base, exchange.recv);
    wire.send_upwards(group.up(first), last - first, exchange.send_base, exchange.send);
    return wire.wait_all();
}

// The whole exchange: the own block, then `partners` partners at a time, nearest first.
inline Status exchange_in_batches(std::int64_t partners, const Exchange& exchange, Wire& wire) {
    Status status = copy_own_block(exchange);
    for (patterns::Batch batch(exchange.group.size, partners); batch.valid(); batch.advance()) {
        status.keep(exchange_with(batch.first(), batch.last(), exchange, wire));
    }
    return status;
}

} // namespace switchyard::algorithms
