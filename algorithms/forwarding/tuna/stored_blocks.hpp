// Store and forward, as in TuNA: the blocks of a round become one message, and the blocks of a
// message go home or wait.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/transport/deliver.hpp"
#include "sizes_of.hpp"
#include "tuna_schedule.hpp"

namespace switchyard::algorithms::forwarding {

// The blocks that wait at this rank for their next hop. Size is the type of block sizes in a message. A
// message is the sizes of its blocks, then the blocks, in the order of TunaRound, without gaps.
template <typename Size>
class StoredBlocks {
  public:
    StoredBlocks(const Exchange& exchange, Context& context, std::size_t slots, std::size_t slot_bytes)
        : exchange_(exchange), slot_bytes_(slot_bytes),
          temporary_(context.workspace.take(slots * slot_bytes).data()),
          sizes_(context.workspace.take_array<Size>(has_size<Size> ? slots : 0).data()) {}

    // Lines 8 to 11: gathers the blocks whose digit x is z. Returns the end of the message.
    std::byte* pack(const TunaRound& round, std::byte* message) const {
        return with_sizes_of<Size>(exchange_, [&](const auto& sizes) { return pack(round, message, sizes); });
    }

    // Lines 16 to 20: blocks that are home go to R, the other blocks to T until their next hop.
    void unpack(const TunaRound& round, const std::byte* message, Status& status) {
        with_sizes_of<Size>(exchange_, [&](const auto& sizes) { unpack(round, message, sizes, status); });
    }

  private:
    template <typename Sizes>
    std::byte* pack(const TunaRound& round, std::byte* message, const Sizes& said_sizes) const {
        auto* sizes = reinterpret_cast<Size*>(message);
        std::byte* out = message + round.blocks() * size_bytes<Size>;
        const Block* const send = exchange_.send.data();
        const std::byte* const send_base = exchange_.send_base;
        for (const int destination : round.from_s) {
            const Block& block = send[destination];
            const std::size_t said = said_sizes.of(block.size), bytes = said_sizes.bytes(said);
            put_next(sizes, said);
            copy_bytes(out, send_base + block.offset, bytes);
            out += bytes;
        }
        const std::byte* const temporary = temporary_;
        const Size* const waiting = sizes_;
        const std::size_t slot_bytes = slot_bytes_;
        for (const int place : round.from_t) {
            const auto slot = static_cast<std::size_t>(place);
            const std::size_t said = noted_size(waiting, slot, said_sizes);
            const std::size_t bytes = said_sizes.bytes(said);
            put_next(sizes, said);
            copy_spaciously(out, temporary + slot * slot_bytes, bytes);
            out += bytes;
        }
        return out;
    }

    template <typename Sizes>
    void unpack(const TunaRound& round, const std::byte* message, const Sizes& said_sizes, Status& status) {
        const auto* sizes = reinterpret_cast<const Size*>(message);
        const std::byte* in = message + round.blocks() * size_bytes<Size>;
        std::byte* const temporary = temporary_;
        Size* const waiting = sizes_;
        const std::size_t slot_bytes = slot_bytes_;
        const auto keep = [&](std::span<const int> slots) {
            for (const int place : slots) {
                const auto slot = static_cast<std::size_t>(place);
                const std::size_t said = take_next(sizes, said_sizes);
                note_size(waiting, slot, said);
                const std::size_t bytes = said_sizes.bytes(said);
                copy_spaciously(temporary + slot * slot_bytes, in, bytes);
                in += bytes;
            }
        };
        keep(round.to_t);
        for (const int source : round.to_r) {
            const std::size_t said = take_next(sizes, said_sizes);
            deliver(exchange_, source, in, said, said_sizes, status);
            in += said_sizes.bytes(said);
        }
        keep(round.stays);
    }

    const Exchange& exchange_;
    const std::size_t slot_bytes_;
    std::byte* const temporary_; // T of section III-C
    Size* const sizes_;          // by slot of T; as messages say them
};

} // namespace switchyard::algorithms::forwarding
