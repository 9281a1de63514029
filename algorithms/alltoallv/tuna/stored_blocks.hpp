// Store and forward, as in TuNA: the blocks of a round become one message, and the blocks of a message go
// home or wait.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/deliver.hpp"
#include "tuna_schedule.hpp"

namespace switchyard::algorithms::alltoallv {

// The blocks that wait at this rank for their next hop. Size is the type of block sizes in a message. A
// message is the sizes of its blocks, then the blocks, in the order of TunaRound, without gaps.
template <typename Size>
class StoredBlocks {
  public:
    StoredBlocks(const Exchange& exchange, Context& context, std::size_t slots)
        : exchange_(exchange), temporary_(context.workspace.take(slots * exchange.max_block).data()),
          sizes_(context.workspace.take_array<Size>(slots).data()) {}

    // Lines 8 to 11: gathers the blocks whose digit x is z. Returns the end of the message.
    std::byte* pack(const TunaRound& round, std::byte* message) const {
        auto* sizes = reinterpret_cast<Size*>(message);
        std::byte* out = message + round.blocks() * sizeof(Size);
        const SaidSizes said_sizes(exchange_);
        const Block* const send = exchange_.send.data();
        const std::byte* const send_base = exchange_.send_base;
        for (const int destination : round.from_s) {
            const Block& block = send[destination];
            const std::size_t said = said_sizes.of(block.size), bytes = said_sizes.bytes(said);
            *sizes++ = static_cast<Size>(said);
            copy_bytes(out, send_base + block.offset, bytes);
            out += bytes;
        }
        const std::byte* const temporary = temporary_;
        const Size* const waiting = sizes_;
        const std::size_t slot_bytes = exchange_.max_block;
        for (const int place : round.from_t) {
            const auto slot = static_cast<std::size_t>(place);
            const std::size_t said = waiting[slot], bytes = said_sizes.bytes(said);
            *sizes++ = static_cast<Size>(said);
            copy_bytes(out, temporary + slot * slot_bytes, bytes);
            out += bytes;
        }
        return out;
    }

    // Lines 16 to 20: blocks that are home go to R, the others to T until their next hop.
    Status unpack(const TunaRound& round, const std::byte* message) {
        const auto* sizes = reinterpret_cast<const Size*>(message);
        const std::byte* in = message + round.blocks() * sizeof(Size);
        const SaidSizes said_sizes(exchange_);
        std::byte* const temporary = temporary_;
        Size* const waiting = sizes_;
        const std::size_t slot_bytes = exchange_.max_block;
        const auto keep = [&](std::span<const int> slots) {
            for (const int place : slots) {
                const auto slot = static_cast<std::size_t>(place);
                const std::size_t said = *sizes++, bytes = said_sizes.bytes(said);
                waiting[slot] = static_cast<Size>(said);
                copy_bytes(temporary + slot * slot_bytes, in, bytes);
                in += bytes;
            }
        };
        Status status;
        keep(round.to_t);
        for (const int source : round.to_r) {
            const std::size_t said = *sizes++;
            status.keep(deliver(exchange_, source, in, said));
            in += said_sizes.bytes(said);
        }
        keep(round.stays);
        return status;
    }

  private:
    const Exchange& exchange_;
    std::byte* const temporary_; // T of section III-C
    Size* const sizes_;          // by slot of T; as messages say them
};

} // namespace switchyard::algorithms::alltoallv
