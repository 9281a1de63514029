// The end of a block's way.
#pragma once

#include "messages/copy.hpp"
#include "messages/direct_blocks.hpp"

namespace switchyard::algorithms {

// Copies a block that arrived from `source` to its place. `said`: its size as the message says it. A block
// that is longer than the application expects is an error, as MPI reports it in `status`, and is not copied.
// Inline at any rate, since it is called for each block of each exchange.
template <typename Sizes>
[[gnu::always_inline]] inline void deliver(const Exchange& exchange, int source, const std::byte* block,
                                           std::size_t said, const Sizes&, Status& status) {
    const Block& place = exchange.recv[static_cast<std::size_t>(source)];
    if (Sizes::have_marks && exchange.direct != nullptr &&
        (said >= exchange.max_block || place.size >= exchange.max_block) &&
        !exchange.direct->meets(source, said)) [[unlikely]]
        return;
    if (said > place.size) [[unlikely]]
        return status.keep(Fault::truncated);
    copy_bytes(exchange.recv_base + place.offset, block, said);
}
inline Status deliver(const Exchange& exchange, int source, const std::byte* block, std::size_t said) {
    Status status;
    with_said_sizes(exchange,
                    [&](const auto& sizes) { deliver(exchange, source, block, said, sizes, status); });
    return status;
}

} // namespace switchyard::algorithms
