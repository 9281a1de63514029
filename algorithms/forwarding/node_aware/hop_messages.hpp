// The messages between nodes of node_aware: one for each hop and lane in the charge of this rank.
#pragma once

#include "rows.hpp"

namespace switchyard::algorithms::forwarding {

template <typename Size>
class HopMessages {
  public:
    HopMessages(const Exchange& exchange, Context& context, const NodeAwareLayout& layout,
                const WaitingRows& waiting)
        : exchange_(exchange), wire_(context.wire), block_bytes_(layout.block_bytes), said_sizes_(exchange),
          waiting_(waiting), outgoing_(context.workspace.take(layout.message_bytes + spare_bytes).data()),
          incoming_(context.workspace.take(layout.message_bytes + spare_bytes).data()) {}

    // Starts the hops of one weight.
    void start(const Hop& hop) {
        for_each_arrived(hop, [&](const Charge& charge, std::byte* in) {
            wire_.receive(charge.source, in, arriving_bytes(hop, charge));
        });
        std::byte* out = outgoing_;
        for (const Charge& charge : hop.charges) {
            const std::size_t most = charge.blocks_out * block_bytes_;
            const auto bytes = static_cast<std::size_t>(pack(hop, charge, out) - out);
            // A message that may exceed the limit travels padded, since both sides must split it alike.
            wire_.send(charge.destination, out, most > wire_.limit() ? most : bytes);
            out += most;
        }
    }

    // Waits for all messages. Messages that did not arrive read as zeros.
    Status wait(const Hop& hop) {
        const Status status = wire_.wait_all();
        if (!status.ok())
            for_each_arrived(hop, [&](const Charge& charge, std::byte* in) { clear(charge, in); });
        return status;
    }

    // Calls visit(charge, message) for the messages that arrive with the hops.
    // Returns the end of their rooms.
    template <typename Visitor>
    std::byte* for_each_arrived(const Hop& hop, Visitor&& visit) const {
        std::byte* message = incoming_;
        for (const Charge& charge : hop.charges) {
            visit(charge, message);
            message += charge.blocks_in * block_bytes_;
        }
        return message;
    }

    // Delivers the messages of the hops that end the exchange, each as soon as it is
    // here: a block in each row.
    Status deliver(const Hop& hop) {
        Status status;
        std::size_t messages = 0;
        for_each_arrived(hop, [&](const Charge& charge, std::byte* in) {
            messages += wire_.messages_of(arriving_bytes(hop, charge));
            if (!wire_.wait_for_first(messages).ok()) clear(charge, in);
            if (has_sizes(hop))
                for (const int source : charge.arrived_blocks)
                    in = deliver_block<Size>(exchange_, source, in, said_sizes_, status);
            else
                deliver_expected(charge.arrived_blocks, in, status);
        });
        status.keep(wire_.wait_all());
        return status;
    }

  private:
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
    const std::size_t block_bytes_; // of a block with its size, at most
    const SizesOf<Size> said_sizes_;
    const WaitingRows& waiting_;
    std::byte* const outgoing_;
    std::byte* const incoming_;
};

} // namespace switchyard::algorithms::forwarding
