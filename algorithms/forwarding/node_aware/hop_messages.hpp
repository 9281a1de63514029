// The messages between nodes of node_aware: one for each hop and lane in the charge of this rank.
//
// Messages of one weight are under way at the same time. With many nodes and a large radix they go in
// batches, so that no rank has more than Wire::batch() sends under way, and as many receives. A batch is a
// range of digits, the same on all ranks, so a send and its receive lie in the same batch.
#pragma once

#include "rows.hpp"

namespace switchyard::algorithms::forwarding {

template <typename Size>
class HopMessages {
  public:
    HopMessages(const Exchange& exchange, Context& context, const NodeAwareSchedule& schedule,
                const NodeAwareLayout& layout, const WaitingRows& waiting)
        : exchange_(exchange), wire_(context.wire),
          digits_at_once_(std::max(1, context.wire.batch() / schedule.most_of_digit())),
          block_bytes_(layout.block_bytes), said_sizes_(exchange), waiting_(waiting),
          outgoing_(context.workspace.take(layout.message_bytes + spare_bytes).data()),
          incoming_(context.workspace.take(layout.message_bytes + spare_bytes).data()) {}

    // Exchanges the messages of the hops of one weight. Messages that did not arrive read as zeros.
    Status exchange(const Hop& hop) {
        return for_each_batch(hop, [&](std::span<const Charge> charges, std::byte* in) {
            const Status status = wire_.wait_all();
            if (!status.ok())
                for_each_message(charges, in,
                                 [&](const Charge& charge, std::byte* message) { clear(charge, message); });
            return status;
        });
    }

    // Calls visit(charge, message) for the messages that arrived with the hops.
    template <typename Visitor>
    void for_each_arrived(const Hop& hop, Visitor&& visit) const {
        for_each_message(hop.charges, incoming_, visit);
    }

    // The same for hops that end the exchange. Delivers each message as soon as it is
    // here: a block in each row.
    Status deliver(const Hop& hop) {
        return for_each_batch(
            hop, [&](std::span<const Charge> charges, std::byte* in) { return deliver(hop, charges, in); });
    }

  private:
    // Starts the messages batch by batch. finish(charges, the first message that arrives) waits for them.
    template <typename Finish>
    Status for_each_batch(const Hop& hop, Finish&& finish) {
        Status status;
        std::byte *out = outgoing_, *in = incoming_;
        std::span<const Charge> left = hop.charges;
        for (int end = 1; end < hop.end_of_digits;) {
            end = std::min(end + digits_at_once_, hop.end_of_digits);
            const auto charges = left.first(count_below(end, hop, left));
            wire_.enter(Phase::inter);
            left = left.subspan(charges.size());
            std::byte* const next =
                for_each_message(charges, in, [&](const Charge& charge, std::byte* message) {
                    wire_.receive(charge.source, message, arriving_bytes(hop, charge));
                });
            out = send(hop, charges, out);
            status.keep(finish(charges, in));
            in = next;
        }
        return status;
    }
    // A function of its own: its loops over blocks need all registers.
    [[gnu::noinline]] Status deliver(const Hop& hop, std::span<const Charge> charges, std::byte* first) {
        Status status;
        std::size_t messages = 0;
        for_each_message(charges, first, [&](const Charge& charge, std::byte* in) {
            messages += wire_.messages_of(arriving_bytes(hop, charge));
            wire_.enter(Phase::inter);
            if (!wire_.wait_for_first(messages).ok()) clear(charge, in);
            wire_.enter(Phase::rearrange);
            if (has_sizes(hop))
                for (const int source : charge.arrived_blocks)
                    in = deliver_block<Size>(exchange_, source, in, said_sizes_, status);
            else
                deliver_expected(charge.arrived_blocks, in, status);
        });
        wire_.enter(Phase::inter);
        status.keep(wire_.wait_all());
        return status;
    }
    // The number of charges, the first of `charges`, whose digits are below `end`.
    static std::size_t count_below(int end, const Hop& hop, std::span<const Charge> charges) {
        if (end == hop.end_of_digits) return charges.size();
        return static_cast<std::size_t>(std::ranges::lower_bound(charges, end, {}, &Charge::digit) -
                                        charges.begin());
    }
    // Returns the end of the messages.
    std::byte* send(const Hop& hop, std::span<const Charge> charges, std::byte* out) {
        for (const Charge& charge : charges) {
            const std::size_t most = charge.blocks_out * block_bytes_;
            wire_.enter(Phase::rearrange);
            const auto bytes = static_cast<std::size_t>(pack(hop, charge, out) - out);
            wire_.enter(Phase::inter);
            // A message that may exceed the limit travels padded, since both sides must split it alike.
            wire_.send(charge.destination, out, most > wire_.limit() ? most : bytes);
            out += most;
        }
        return out;
    }
    // Calls visit(charge, message) for the messages that arrive, the first one at `message`. Returns the end
    // of their rooms.
    template <typename Visitor>
    std::byte* for_each_message(std::span<const Charge> charges, std::byte* message, Visitor&& visit) const {
        for (const Charge& charge : charges) {
            visit(charge, message);
            message += charge.blocks_in * block_bytes_;
        }
        return message;
    }

    // The receiver of a hop that ends the exchange knows the sizes of its blocks, so no sizes travel. Where
    // blocks may go directly, sizes travel, since the receiver may expect a block here that goes directly, or
    // the other way round.
    bool has_sizes(const Hop& hop) const { return exchange_.direct != nullptr || !hop.ends_exchange; }

    void deliver_expected(std::span<const int> sources, const std::byte* in, Status& status) const {
        const Block* const recv = exchange_.recv.data();
        std::byte* const recv_base = exchange_.recv_base;
        const std::size_t most = exchange_.max_block;
        for (const int source : sources) {
            const Block& place = recv[source];
            const std::size_t size = std::min(place.size, most);
            if (size < place.size) [[unlikely]]
                status.keep(Fault::truncated);
            copy_bytes(recv_base + place.offset, in, size);
            in += size;
        }
    }
    // The bytes to receive.
    std::size_t arriving_bytes(const Hop& hop, const Charge& charge) const {
        const std::size_t most = charge.blocks_in * block_bytes_;
        const bool is_exact = !has_sizes(hop) && most <= wire_.limit();
        return is_exact ? expected_bytes(charge) : most;
    }
    void clear(const Charge& charge, std::byte* message) const {
        std::memset(message, 0, charge.blocks_in * block_bytes_);
    }
    // The bytes that arrive with a hop that ends the exchange. Where all blocks are empty, no message
    // travels. An application whose counts do not match may expect more than the largest block.
    std::size_t expected_bytes(const Charge& charge) const {
        const Block* const recv = exchange_.recv.data();
        const std::size_t most = exchange_.max_block;
        std::size_t bytes = 0;
        for (const int source : charge.arrived_blocks) bytes += std::min(recv[source].size, most);
        return bytes;
    }

    // Returns the end of the message.
    std::byte* pack(const Hop& hop, const Charge& charge, std::byte* end) const {
        const std::size_t without = has_sizes(hop) ? 0 : size_bytes<Size>;
        const WaitingRows waiting = waiting_; // a copied byte cannot change a local variable
        for (const std::size_t place : charge.outgoing) {
            const Part row = waiting.at(place);
            const std::size_t bytes = row.bytes - without;
            copy_spaciously(end, row.data + without, bytes);
            end += bytes;
        }
        return end;
    }

    const Exchange& exchange_;
    Wire& wire_;
    const int digits_at_once_;
    const std::size_t block_bytes_; // of a block with its size, at most
    const SizesOf<Size> said_sizes_;
    const WaitingRows& waiting_;
    std::byte* const outgoing_;
    std::byte* const incoming_;
};

} // namespace switchyard::algorithms::forwarding
