// The last step of a block: the copy to its place.
#pragma once

#include "messages/copy.hpp"
#include "messages/direct_blocks.hpp"

namespace switchyard::algorithms {

// Copies a block that arrived from `source` to its place. `said`: the size that the message says. A block
// that is longer than the application expects is not copied, and `status` keeps the error that MPI reports
// for it. Always inline, since it is called for each block of each exchange.
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
