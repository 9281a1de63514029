// The padded exchange: blocks of different sizes become blocks of one size, for a uniform exchange.
// Slot i of a padded buffer, at i * max_block, is for rank i. The own block takes no part, since it
// may be larger than a slot.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/transport/messages/copy.hpp"
#include "algorithms/transport/messages/wire.hpp"
#include "padded_alltoall_scratch.hpp"

#include <algorithm>
#include <cstddef>

namespace switchyard::algorithms::alltoallv {

// Phase (a). The bytes of a slot behind its block stay as they are, since nobody reads them.
inline void pad(const Exchange& exchange, std::byte* padded) {
    for (int destination = 0; destination < exchange.group.size; ++destination) {
        if (destination != exchange.group.rank) {
            copy_bytes(padded, exchange.send_to(destination), exchange.send_size(destination));
        }
        padded += exchange.max_block;
    }
}

// Phase (c). No sizes travel, so an application whose counts do not match gets no error: it gets the bytes
// that it expects, and no more than a slot holds.
inline void scan(const Exchange& exchange, const std::byte* padded) {
    for (int source = 0; source < exchange.group.size; ++source) {
        if (source != exchange.group.rank) {
            copy_bytes(exchange.recv_from(source), padded,
                       std::min(exchange.recv_size(source), exchange.max_block));
        }
        padded += exchange.max_block;
    }
}

// All phases. uniform(padded, received) is phase (b), the exchange of blocks of max_block bytes.
// `scratch_bytes`: the workspace of the algorithm.
template <typename Uniform>
Status exchange_padded(const Exchange& exchange, Context& context, std::size_t scratch_bytes,
                       Uniform&& uniform) {
    if (scratch_bytes == 0) return copy_own_block(exchange); // nothing travels, on all ranks
    if (!context.workspace.has(scratch_bytes)) return Fault::no_memory;
    const std::size_t bytes = padded_bytes(exchange.group.size, exchange.max_block);
    std::byte* const padded = context.workspace.take(bytes).data();
    std::byte* const received = context.workspace.take(bytes).data();

    Status status = copy_own_block(exchange);
    context.wire.enter(Phase::rearrange);
    pad(exchange, padded);
    context.wire.enter(Phase::data);
    const Status exchanged = uniform(padded, received);
    status.keep(exchanged);
    context.wire.enter(Phase::rearrange);
    if (exchanged.ok()) scan(exchange, received);
    return status;
}

} // namespace switchyard::algorithms::alltoallv
