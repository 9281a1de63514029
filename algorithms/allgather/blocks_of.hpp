// The gathered blocks of several ranks as one message, wherever they lie.
#pragma once

#include "algorithms/exchange.hpp"
#include "algorithms/part.hpp"

#include <span>

namespace switchyard::algorithms::allgather {

// The places of the blocks of `count` ranks from rank `first` up. After the last rank comes rank 0. The list
// lies in `parts`.
inline std::span<const Part> blocks_of(const Exchange& exchange, int first, int count, PartList& parts) {
    for (int rank = first; rank < first + count; ++rank) {
        const int source = rank < exchange.group.size ? rank : rank - exchange.group.size;
        parts.add({exchange.recv_from(source), exchange.recv_size(source)});
    }
    return parts.take();
}

} // namespace switchyard::algorithms::allgather
