// What the linear algorithms have in common: direct exchange with a range of partners.
#pragma once

#include "exchange.hpp"
#include "wire.hpp"

namespace switchyard::algorithms {

// Sends to the ranks first <= distance < last places up, receives from those as far down, and waits for all
// of them. With the same range on all ranks, whatever is awaited here is also sent here, and nothing can
// block for ever.
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

} // namespace switchyard::algorithms
