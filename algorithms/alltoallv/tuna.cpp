// Idea: store and forward; a block `o` ranks from home hops once per non-zero digit of o in base `radix`.
// Cost: K rounds of D blocks in all (K <= w(r-1), D <= w(r-1)r^(w-1), w = ceil(log_r P)), every `in_flight`
//   rounds of a digit together: alpha * sum over digits of ceil(rounds / in_flight), twice that with
//   metadata=separate.
// Needs: the largest block, agreed by all ranks (the caller does line 1); any number of ranks.
// Departs: as published it is metadata=separate, in_flight=1. Rounds of one digit do not depend on each
//   other, so in_flight of them share a wait. metadata=fused sends sizes, in the narrowest integer that holds the
//   largest block, and blocks in one message, received into the agreed upper bound (where that exceeds
//   Wire::limit() the round is separate), and no sizes in a round of only a direct block, which both ends
//   know. The index array I of line 5 is computed as it is used. Line 9 is read as "is z", line 16 as the
//   text has it: a block is home when no digit above x is left. T's index takes floor(log_r o).
// Source: TuNA paper (configurable non-uniform all-to-all), section III, algorithm 1.
#include "algorithms/algorithm.hpp"
#include "algorithms/copy.hpp"
#include "algorithms/patterns/scratch.hpp"

#include <numeric>

namespace switchyard::algorithms::alltoallv {

namespace {

using patterns::OffsetRange;
using patterns::Round;

// An exchange under way; Size is the type in which block sizes travel. An outgoing or incoming message is the
// sizes of its blocks, then the blocks, in order of their offsets, without gaps.
template <typename Size>
class Tuna {
  public:
    Tuna(const Exchange& exchange, Context& context, const patterns::TunaLayout& layout)
        : exchange_(exchange), group_(exchange.group), wire_(context.wire), lanes_(layout.lanes),
          lane_bytes_(Workspace::rounded(layout.message_bytes)),
          fused_(context.parameters[Parameter::metadata] == static_cast<std::int64_t>(Metadata::fused)),
          temporary_(context.workspace.take(layout.slots * exchange.max_block).data()),
          temporary_sizes_(context.workspace.take_array<Size>(layout.slots).data()),
          outgoing_(context.workspace.take(lanes_ * lane_bytes_).data()),
          incoming_(context.workspace.take(lanes_ * lane_bytes_).data()) {}

    Status run(int radix) {
        Status status;
        for (Round round(group_.size, radix); round.valid();) { // lines 6 and 7
            const int together = std::min(round.left_in_digit(), static_cast<int>(lanes_));
            status.keep(exchange_rounds(round, together));
            for (int i = 0; i < together; ++i) round.advance();
        }
        return status;
    }

  private:
    // A round under way and its two messages.
    struct Lane {
        const Round& round;
        std::byte* outgoing;
        std::byte* incoming;
        int destination, source;
        std::size_t blocks, metadata; // in the round; bytes of their sizes
    };

    template <typename Visitor>
    void for_each_lane(Round round, int count, Visitor&& visit) const {
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i, round.advance()) {
            const auto blocks = static_cast<std::size_t>(round.blocks());
            visit(Lane{round, outgoing_ + i * lane_bytes_, incoming_ + i * lane_bytes_,
                       group_.down(round.distance()), group_.up(round.distance()), // lines 12 and 13
                       blocks, blocks * sizeof(Size)});
        }
    }

    // `count` rounds of one digit: whatever can travel at once, then what had to wait for its sizes.
    Status exchange_rounds(const Round& first, int count) {
        for_each_lane(first, count, [&](const Lane& lane) {
            if (is_direct(lane)) {
                if (!fused_) note_direct_size(lane);
            } else {
                pack(lane);
            }
            start(lane); // line 14
        });
        Status status = wire_.wait_all();
        if (!status.ok()) forget_sizes();
        for_each_lane(first, count, [&](const Lane& lane) {
            if (sizes_go_ahead(lane)) start_data(lane); // line 15
        });
        status.keep(wire_.wait_all());
        for_each_lane(first, count, [&](const Lane& lane) {
            if (!is_direct(lane)) status.keep(unpack(lane));
        });
        return status;
    }

    // A round of one block, the direct one: from S to R without a copy.
    static bool is_direct(const Lane& lane) { return lane.blocks == 1; }

    std::size_t most_bytes(const Lane& lane) const {
        return lane.metadata + lane.blocks * exchange_.max_block;
    }

    // Whether the sizes are a message of their own, for which the data waits.
    bool sizes_go_ahead(const Lane& lane) const {
        return !fused_ || (!is_direct(lane) && most_bytes(lane) > wire_.limit());
    }

    void start(const Lane& lane) {
        if (sizes_go_ahead(lane)) {
            wire_.receive(lane.source, lane.incoming, lane.metadata);
            wire_.send(lane.destination, lane.outgoing, lane.metadata);
        } else if (is_direct(lane)) {
            start_data(lane);
        } else {
            wire_.receive(lane.source, lane.incoming, most_bytes(lane));
            wire_.send(lane.destination, lane.outgoing, lane.metadata + data_bytes(lane.outgoing, lane));
        }
    }

    void start_data(const Lane& lane) {
        if (is_direct(lane)) {
            wire_.receive(lane.source, exchange_.recv_from(lane.source), exchange_.recv_size(lane.source));
            wire_.send(lane.destination, exchange_.send_to(lane.destination),
                       exchange_.send_size(lane.destination));
        } else {
            wire_.receive(lane.source, lane.incoming + lane.metadata, data_bytes(lane.incoming, lane));
            wire_.send(lane.destination, lane.outgoing + lane.metadata, data_bytes(lane.outgoing, lane));
        }
    }

    std::size_t data_bytes(const std::byte* message, const Lane& lane) const {
        const auto* sizes = reinterpret_cast<const Size*>(message);
        return std::accumulate(sizes, sizes + lane.blocks, std::size_t{0});
    }

    // Sizes that did not arrive must not be read: nothing came.
    void forget_sizes() { std::fill_n(incoming_, lanes_ * lane_bytes_, std::byte{0}); }

    void note_direct_size(const Lane& lane) {
        *reinterpret_cast<Size*>(lane.outgoing) = static_cast<Size>(exchange_.send_size(lane.destination));
    }

    // Lines 8 to 11: gathers the blocks whose digit x is z.
    void pack(const Lane& lane) {
        auto* sizes = reinterpret_cast<Size*>(lane.outgoing);
        std::byte* out = lane.outgoing + lane.metadata;
        auto append = [&](const std::byte* block, std::size_t size) {
            copy_bytes(out, block, size);
            out += size;
            *sizes++ = static_cast<Size>(size);
        };
        lane.round.for_each_range([&](OffsetRange range) {
            const int destination = group_.down(range.begin); // first hop: still in S
            append(exchange_.send_to(destination), exchange_.send_size(destination));
            for (int offset = range.begin + 1; offset < range.end; ++offset) {
                const auto slot = static_cast<std::size_t>(offset - range.shift);
                append(temporary_ + slot * exchange_.max_block, temporary_sizes_[slot]);
            }
        });
    }

    // Lines 16 to 20: blocks that are home go to R, the others to T until their next hop.
    Status unpack(const Lane& lane) {
        const auto* sizes = reinterpret_cast<const Size*>(lane.incoming);
        const std::byte* in = lane.incoming + lane.metadata;
        Status status;
        lane.round.for_each_range([&](OffsetRange range) {
            const bool home = range.begin == lane.round.distance();
            for (int offset = range.begin; offset < range.end; ++offset) {
                const std::size_t size = *sizes++;
                if (home) {
                    deliver(group_.up(offset), in, size, status);
                } else {
                    const auto slot = static_cast<std::size_t>(offset - range.shift);
                    copy_bytes(temporary_ + slot * exchange_.max_block, in, size);
                    temporary_sizes_[slot] = static_cast<Size>(size);
                }
                in += size;
            }
        });
        return status;
    }

    // An application whose counts do not match gets MPI's own answer to that, not an overrun buffer.
    void deliver(int source, const std::byte* block, std::size_t size, Status& status) {
        if (size <= exchange_.recv_size(source)) {
            copy_bytes(exchange_.recv_from(source), block, size);
        } else {
            status.code = MPI_ERR_TRUNCATE;
        }
    }

    const Exchange& exchange_;
    const Group& group_;
    Wire& wire_;
    const std::size_t lanes_, lane_bytes_;
    const bool fused_;
    std::byte* const temporary_; // T of section III-C
    Size* const temporary_sizes_;
    std::byte* const outgoing_;
    std::byte* const incoming_;
};

} // namespace

Status tuna(const Exchange& exchange, Context& context) {
    Status status = copy_own_block(exchange);
    if (exchange.max_block == 0) {
        return status;
    }
    const int ranks = exchange.group.size;
    const auto layout = patterns::tuna_layout(ranks, exchange.max_block, context.parameters);
    const auto scratch = patterns::tuna_scratch_bytes(ranks, exchange.max_block, context.parameters);
    if (!context.workspace.has(scratch)) {
        return {MPI_ERR_NO_MEM};
    }
    const auto radix = static_cast<int>(context.parameters[Parameter::radix]);
    switch (layout.size_bytes) {
    case 1: status.keep(Tuna<std::uint8_t>(exchange, context, layout).run(radix)); break;
    case 2: status.keep(Tuna<std::uint16_t>(exchange, context, layout).run(radix)); break;
    case 4: status.keep(Tuna<std::uint32_t>(exchange, context, layout).run(radix)); break;
    default: status.keep(Tuna<std::uint64_t>(exchange, context, layout).run(radix)); break;
    }
    return status;
}

} // namespace switchyard::algorithms::alltoallv
