// Store and forward, as in TuNA: the blocks of a round become one message, and the blocks of a message go
// home or wait.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/alltoallv/tuna_scratch.hpp"
#include "algorithms/deliver.hpp"

namespace switchyard::algorithms::alltoallv {

// The blocks that wait at this rank for their next hop. Size is the type of block sizes in a message. A
// message is the sizes of its blocks, then the blocks, in order of their offsets, without gaps.
template <typename Size>
class StoredBlocks {
  public:
    StoredBlocks(const Exchange& exchange, Context& context, std::size_t slots)
        : exchange_(exchange), temporary_(context.workspace.take(slots * exchange.max_block).data()),
          sizes_(context.workspace.take_array<Size>(slots).data()) {}

    // Lines 8 to 11: gathers the blocks whose digit x is z.
    void pack(const patterns::Round& round, std::byte* message) const {
        auto* sizes = reinterpret_cast<Size*>(message);
        std::byte* out = message + static_cast<std::size_t>(round.blocks()) * sizeof(Size);
        auto append = [&](const std::byte* block, std::size_t said) {
            const std::size_t bytes = exchange_.bytes_of(said);
            copy_bytes(out, block, bytes);
            out += bytes;
            *sizes++ = static_cast<Size>(said);
        };
        round.for_each_range([&](patterns::OffsetRange range) {
            const int destination = exchange_.group.down(range.begin); // first hop: still in S
            append(exchange_.send_to(destination), exchange_.said_size(destination));
            for (int offset = range.begin + 1; offset < range.end; ++offset) {
                const auto slot = static_cast<std::size_t>(offset - range.shift);
                append(temporary_ + slot * exchange_.max_block, sizes_[slot]);
            }
        });
    }

    // Lines 16 to 20: blocks that are home go to R, the others to T until their next hop.
    Status unpack(const patterns::Round& round, const std::byte* message) {
        const auto* sizes = reinterpret_cast<const Size*>(message);
        const std::byte* in = message + static_cast<std::size_t>(round.blocks()) * sizeof(Size);
        Status status;
        round.for_each_range([&](patterns::OffsetRange range) {
            const bool is_home = range.begin == round.distance();
            for (int offset = range.begin; offset < range.end; ++offset) {
                const std::size_t said = *sizes++, bytes = exchange_.bytes_of(said);
                if (is_home) {
                    status.keep(deliver(exchange_, exchange_.group.up(offset), in, said));
                } else {
                    const auto slot = static_cast<std::size_t>(offset - range.shift);
                    copy_bytes(temporary_ + slot * exchange_.max_block, in, bytes);
                    sizes_[slot] = static_cast<Size>(said);
                }
                in += bytes;
            }
        });
        return status;
    }

  private:
    const Exchange& exchange_;
    std::byte* const temporary_; // T of section III-C
    Size* const sizes_;          // by slot of T; as messages say them
};

} // namespace switchyard::algorithms::alltoallv
