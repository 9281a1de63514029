// Idea: store and forward; a block `o` ranks from home makes one hop for each non-zero digit of o in base
//   `radix`.
// Cost: K rounds of D blocks in all (K <= w(r-1), D <= w(r-1)r^(w-1), w = ceil(log_r P)). `in_flight` rounds
//   of a digit travel together: alpha * sum over digits of ceil(rounds / in_flight), and twice as much with
//   metadata=separate.
// Needs: direct_from, or the largest block, agreed by all ranks (the caller does line 1); any number of ranks.
// Departs: the published algorithm is metadata=separate, in_flight=1. Rounds of one digit do not depend on
//   each other, so in_flight of them share a wait. metadata=fused sends sizes and blocks in one message. Its
//   sizes are in the narrowest integer that holds the largest block; it is received into the agreed upper
//   bound (a round whose bound exceeds Wire::limit() is separate); a round of only a direct block has no
//   sizes, since both ends know them. The index array I of line 5 is computed where it is used. Line 9 is
//   read as "is z", line 16 as the text has it: a block is home when no digit above x is left. The index of T
//   takes floor(log_r o).
// Source: TuNA paper (configurable non-uniform all-to-all), section III, algorithm 1.
#include "tuna/stored_blocks.hpp"

#include <numeric>

namespace switchyard::algorithms::alltoallv {

namespace {

using patterns::Round;

// An exchange under way. Size is the type of block sizes in a message.
template <typename Size>
class Tuna {
  public:
    Tuna(const Exchange& exchange, Context& context, const TunaLayout& layout)
        : exchange_(exchange), group_(exchange.group), wire_(context.wire), in_flight_(layout.in_flight),
          message_bytes_(Workspace::rounded(layout.message_bytes)),
          fused_(context.parameters[Parameter::metadata] == static_cast<std::int64_t>(Metadata::fused)),
          stored_(exchange, context, layout.slots),
          outgoing_(context.workspace.take(in_flight_ * message_bytes_).data()),
          incoming_(context.workspace.take(in_flight_ * message_bytes_).data()) {}

    Status run(int radix) {
        Status status;
        for (Round round(group_.size, radix); round.valid();) { // lines 6 and 7
            const int together = std::min(round.left_in_digit(), static_cast<int>(in_flight_));
            status.keep(exchange_rounds(round, together));
            for (int i = 0; i < together; ++i) round.advance();
        }
        return status;
    }

  private:
    // A round under way and its two messages.
    struct Flight {
        const Round& round;
        std::byte* outgoing;
        std::byte* incoming;
        int destination, source;
        std::size_t blocks, metadata; // of the round; bytes of their sizes
    };

    template <typename Visitor>
    void for_each_flight(Round round, int count, Visitor&& visit) const {
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i, round.advance()) {
            const auto blocks = static_cast<std::size_t>(round.blocks());
            visit(Flight{round, outgoing_ + i * message_bytes_, incoming_ + i * message_bytes_,
                         group_.down(round.distance()), group_.up(round.distance()), // lines 12 and 13
                         blocks, blocks * sizeof(Size)});
        }
    }

    // `count` rounds of one digit: first the messages that can travel at once, then the data that waits for
    // its sizes.
    Status exchange_rounds(const Round& first, int count) {
        for_each_flight(first, count, [&](const Flight& flight) {
            if (!is_direct(flight)) {
                stored_.pack(flight.round, flight.outgoing);
            } else if (!fused_) {
                note_direct_size(flight);
            }
            start(flight); // line 14
        });
        Status status = wire_.wait_all();
        if (!status.ok()) forget_sizes();
        for_each_flight(first, count, [&](const Flight& flight) {
            if (sizes_go_ahead(flight)) start_data(flight); // line 15
        });
        status.keep(wire_.wait_all());
        for_each_flight(first, count, [&](const Flight& flight) {
            if (!is_direct(flight)) status.keep(stored_.unpack(flight.round, flight.incoming));
        });
        return status;
    }

    // A round of one block, the direct block: it goes from S to R without a copy. With blocks that go straight its size
    // travels, too, since the block may be such a one.
    bool is_direct(const Flight& flight) const { return flight.blocks == 1 && exchange_.straight == nullptr; }

    std::size_t most_bytes(const Flight& flight) const {
        return flight.metadata + flight.blocks * exchange_.max_block;
    }

    // Whether the sizes are a message of their own, which the data waits for.
    bool sizes_go_ahead(const Flight& flight) const {
        return !fused_ || (!is_direct(flight) && most_bytes(flight) > wire_.limit());
    }

    void start(const Flight& flight) {
        if (sizes_go_ahead(flight)) {
            wire_.receive(flight.source, flight.incoming, flight.metadata);
            wire_.send(flight.destination, flight.outgoing, flight.metadata);
        } else if (is_direct(flight)) {
            start_data(flight);
        } else {
            wire_.receive(flight.source, flight.incoming, most_bytes(flight));
            wire_.send(flight.destination, flight.outgoing,
                       flight.metadata + data_bytes(flight.outgoing, flight));
        }
    }

    void start_data(const Flight& flight) {
        if (is_direct(flight)) {
            wire_.receive(flight.source, exchange_.recv_from(flight.source),
                          exchange_.recv_size(flight.source));
            wire_.send(flight.destination, exchange_.send_to(flight.destination),
                       exchange_.send_size(flight.destination));
        } else {
            wire_.receive(flight.source, flight.incoming + flight.metadata,
                          data_bytes(flight.incoming, flight));
            wire_.send(flight.destination, flight.outgoing + flight.metadata,
                       data_bytes(flight.outgoing, flight));
        }
    }

    std::size_t data_bytes(const std::byte* message, const Flight& flight) const {
        const auto* sizes = reinterpret_cast<const Size*>(message);
        return std::accumulate(
            sizes, sizes + flight.blocks, std::size_t{0},
            [this](std::size_t sum, std::size_t said) { return sum + exchange_.bytes_of(said); });
    }

    // Sizes that did not arrive must not be read. They become zeros.
    void forget_sizes() { std::fill_n(incoming_, in_flight_ * message_bytes_, std::byte{0}); }

    void note_direct_size(const Flight& flight) {
        *reinterpret_cast<Size*>(flight.outgoing) =
            static_cast<Size>(exchange_.send_size(flight.destination));
    }

    const Exchange& exchange_;
    const Group& group_;
    Wire& wire_;
    const std::size_t in_flight_, message_bytes_;
    const bool fused_;
    StoredBlocks<Size> stored_;
    std::byte* const outgoing_;
    std::byte* const incoming_;
};

Status forward(const Exchange& exchange, Context& context) {
    Status status;
    const auto layout = tuna_layout(exchange.group.size, exchange.max_block, context.parameters);
    const auto radix = static_cast<int>(context.parameters[Parameter::radix]);
    switch (layout.size_bytes) {
    case 1: status.keep(Tuna<std::uint8_t>(exchange, context, layout).run(radix)); break;
    case 2: status.keep(Tuna<std::uint16_t>(exchange, context, layout).run(radix)); break;
    case 4: status.keep(Tuna<std::uint32_t>(exchange, context, layout).run(radix)); break;
    default: status.keep(Tuna<std::uint64_t>(exchange, context, layout).run(radix)); break;
    }
    return status;
}

} // namespace

Status tuna(const Exchange& exchange, Context& context) {
    const int ranks = exchange.group.size;
    Status status = copy_own_block(exchange);
    if (ranks == 1 || forwarded_bound(exchange.max_block, context.parameters) == 0) return status;
    if (!context.workspace.has(tuna_scratch_bytes(ranks, exchange.max_block, context.parameters)))
        return {MPI_ERR_NO_MEM};
    status.keep(with_straight_blocks(exchange, context, forward));
    return status;
}

} // namespace switchyard::algorithms::alltoallv
