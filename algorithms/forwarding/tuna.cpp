// TuNA (TuNA paper, section III, algorithm 1), for blocks with sizes (alltoallv) and for equal blocks
// (alltoall). alltoallv/tuna.cpp says what it costs and where it departs from the paper.
#include "tuna.hpp"
#include "algorithms/transport/with_direct_blocks.hpp"
#include "tuna/stored_blocks.hpp"

#include <numeric>

namespace switchyard::algorithms::forwarding {

namespace {

// An exchange under way. Size is the type of block sizes in a message.
template <typename Size>
class Tuna {
  public:
    Tuna(const Exchange& exchange, Context& context, const TunaSchedule& schedule, const TunaLayout& layout)
        : exchange_(exchange), wire_(context.wire), rounds_(schedule.rounds()),
          in_flight_(schedule.shape().in_flight), message_bytes_(Workspace::rounded(layout.message_bytes)),
          fused_(!has_size<Size> ||
                 context.parameters[Parameter::metadata] == static_cast<std::int64_t>(Metadata::fused)),
          stored_(exchange, context, schedule.shape().slots, layout.slot_bytes),
          outgoing_(context.workspace.take(in_flight_ * message_bytes_).data()),
          incoming_(context.workspace.take(in_flight_ * message_bytes_).data()) {}

    Status run() {
        Status status;
        for (std::size_t next = 0; next < rounds_.size();) { // lines 6 and 7
            const auto left = static_cast<std::size_t>(rounds_[next].left_in_digit);
            const std::size_t together =
                std::min({left, in_flight_, static_cast<std::size_t>(wire_.batch())});
            status.keep(exchange_rounds(rounds_.subspan(next, together)));
            next += together;
        }
        return status;
    }

  private:
    // A round under way and its two messages.
    struct Flight {
        const TunaRound& round;
        std::byte* outgoing;
        std::byte* incoming;
        std::size_t blocks, metadata; // of the round; bytes of their sizes
    };

    template <typename Visitor>
    void for_each_flight(std::span<const TunaRound> rounds, Visitor&& visit) const {
        std::byte *outgoing = outgoing_, *incoming = incoming_;
        for (const TunaRound& round : rounds) {
            visit(Flight{round, outgoing, incoming, round.blocks(), round.blocks() * size_bytes<Size>});
            outgoing += message_bytes_;
            incoming += message_bytes_;
        }
    }

    // Rounds of one digit: first the messages that can travel at once, then the data
    // that waits for its sizes.
    Status exchange_rounds(std::span<const TunaRound> rounds) {
        bool some_waits = false;
        for_each_flight(rounds, [&](const Flight& flight) { // line 14
            if (sizes_go_ahead(flight)) {
                some_waits = true;
                start_sizes(flight);
            } else if (is_one_block(flight)) {
                start_data(flight);
            } else {
                wire_.enter(Phase::rearrange);
                const std::byte* const end = stored_.pack(flight.round, flight.outgoing);
                wire_.enter(Phase::data);
                wire_.receive(flight.round.source, flight.incoming, most_bytes(flight));
                wire_.send(flight.round.destination, flight.outgoing,
                           static_cast<std::size_t>(end - flight.outgoing));
            }
        });
        Status status = wire_.wait_all();
        if (!status.ok()) forget_sizes();
        if (some_waits) {
            for_each_flight(rounds, [&](const Flight& flight) {
                if (sizes_go_ahead(flight)) start_data(flight); // line 15
            });
            status.keep(wire_.wait_all());
        }
        wire_.enter(Phase::rearrange);
        for_each_flight(rounds, [&](const Flight& flight) {
            if (!is_one_block(flight)) stored_.unpack(flight.round, flight.incoming, status);
        });
        return status;
    }

    // The block of such a round goes from S to R without a copy. Where blocks may go directly its size
    // travels as well, since the block itself may be direct.
    bool is_one_block(const Flight& flight) const {
        return flight.blocks == 1 && exchange_.direct == nullptr;
    }

    std::size_t most_bytes(const Flight& flight) const {
        return flight.metadata + flight.blocks * exchange_.max_block;
    }

    // Whether the sizes are a message of their own, which the data waits for.
    bool sizes_go_ahead(const Flight& flight) const {
        if constexpr (!has_size<Size>) return false;
        return !fused_ || (!is_one_block(flight) && most_bytes(flight) > wire_.limit());
    }

    void start_sizes(const Flight& flight) {
        wire_.enter(Phase::rearrange);
        if (is_one_block(flight))
            note_one_size(flight);
        else
            stored_.pack(flight.round, flight.outgoing);
        wire_.enter(Phase::metadata);
        wire_.receive(flight.round.source, flight.incoming, flight.metadata);
        wire_.send(flight.round.destination, flight.outgoing, flight.metadata);
    }

    void start_data(const Flight& flight) {
        wire_.enter(Phase::data);
        if (is_one_block(flight)) {
            wire_.receive(flight.round.source, exchange_.recv_from(flight.round.source),
                          exchange_.recv_size(flight.round.source));
            wire_.send(flight.round.destination, exchange_.send_to(flight.round.destination),
                       exchange_.send_size(flight.round.destination));
        } else {
            wire_.receive(flight.round.source, flight.incoming + flight.metadata,
                          data_bytes(flight.incoming, flight));
            wire_.send(flight.round.destination, flight.outgoing + flight.metadata,
                       data_bytes(flight.outgoing, flight));
        }
    }

    std::size_t data_bytes(const std::byte* message, const Flight& flight) const {
        if constexpr (!has_size<Size>)
            return flight.blocks * exchange_.max_block;
        else {
            const auto* sizes = reinterpret_cast<const Size*>(message);
            return std::accumulate(
                sizes, sizes + flight.blocks, std::size_t{0},
                [this](std::size_t sum, std::size_t said) { return sum + exchange_.bytes_of(said); });
        }
    }

    // Sizes that did not arrive must not be read. They become zeros.
    void forget_sizes() { std::fill_n(incoming_, in_flight_ * message_bytes_, std::byte{0}); }

    void note_one_size(const Flight& flight) {
        auto* note = reinterpret_cast<Size*>(flight.outgoing);
        put_next(note, exchange_.send_size(flight.round.destination));
    }

    const Exchange& exchange_;
    Wire& wire_;
    const std::span<const TunaRound> rounds_;
    const std::size_t in_flight_, message_bytes_;
    const bool fused_;
    StoredBlocks<Size> stored_;
    std::byte* const outgoing_;
    std::byte* const incoming_;
};

// The whole algorithm. `framed`: the bound of a forwarded block in a message. run(exchange, context, schedule,
// layout) runs Tuna with the type of its sizes.
template <typename Run>
Status tuna_with(const patterns::FramedBlock& framed, const Exchange& exchange, Context& context, Run&& run) {
    const auto& schedule = static_cast<const TunaSchedule&>(*context.schedule);
    Status status = copy_own_block(exchange);
    if (exchange.group.size == 1 || framed.block_bytes == 0) return status;
    const TunaLayout layout(schedule.shape(), framed, context.parameters);
    if (!context.workspace.has(layout.scratch_bytes)) return Fault::no_memory;
    status.keep(with_direct_blocks(exchange, context, [&](const Exchange& forwarded, Context& means) {
        return run(forwarded, means, schedule, layout);
    }));
    return status;
}

} // namespace

std::unique_ptr<Schedule> tuna_schedule(const Group& group, const Parameters& parameters) {
    return std::make_unique<TunaSchedule>(group.size, group.rank, parameters);
}

Status tuna(const Exchange& exchange, Context& context) {
    const auto framed =
        patterns::FramedBlock::with_size(forwarded_bound(exchange.max_block, context.parameters));
    return tuna_with(framed, exchange, context,
                     [](auto& forwarded, auto& means, auto& schedule, auto& layout) {
                         return patterns::with_size_type(layout.size_bytes, [&](auto size) {
                             return Tuna<decltype(size)>(forwarded, means, schedule, layout).run();
                         });
                     });
}

Status tuna_of_equal_blocks(const Exchange& exchange, Context& context) {
    const auto alone = patterns::FramedBlock::alone(exchange.max_block);
    return tuna_with(alone, exchange, context,
                     [](auto&... all) { return Tuna<patterns::NoSize>(all...).run(); });
}

} // namespace switchyard::algorithms::forwarding
