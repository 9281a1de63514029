// The gathered blocks of several ranks. Blocks may differ in size; every rank knows the sizes of all of them.
#pragma once

#include "algorithms/exchange.hpp"
#include "algorithms/transport/messages/part.hpp"

#include <span>

namespace switchyard::algorithms::allgather {

// Calls visit(rank) for `count` ranks from rank `first` up. After the last rank comes rank 0.
template <typename Visit>
void for_each_rank(const Group& group, int first, int count, Visit&& visit) {
    for (int rank = first; rank < first + count; ++rank) visit(rank < group.size ? rank : rank - group.size);
}

// The places of these ranks' blocks, as one message. The list lies in `parts`.
inline std::span<const Part> blocks_of(const Exchange& exchange, int first, int count, PartList& parts) {
    for_each_rank(exchange.group, first, count, [&](int source) {
        parts.add({exchange.recv_from(source), exchange.recv_size(source)});
    });
    return parts.take();
}

// The bytes of these ranks' blocks.
inline std::size_t bytes_of(const Exchange& exchange, int first, int count) {
    std::size_t bytes = 0;
    for_each_rank(exchange.group, first, count, [&](int source) { bytes += exchange.recv_size(source); });
    return bytes;
}

// The mean of all blocks, rounded up: workspace formulas count with it.
inline std::size_t mean_block(const Exchange& exchange) {
    const auto ranks = static_cast<std::size_t>(exchange.group.size);
    return (bytes_of(exchange, 0, exchange.group.size) + ranks - 1) / ranks;
}

} // namespace switchyard::algorithms::allgather
