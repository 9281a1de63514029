// Idea: store and forward; a block `o` ranks from home hops once per non-zero digit of o in base `radix`.
// Cost: K rounds of D blocks in all (K <= w(r-1), D <= w(r-1)r^(w-1), w = ceil(log_r P)):
//   2K * alpha + beta * D blocks with metadata=separate, K * alpha with metadata=fused.
// Needs: the largest block, agreed by all ranks (the caller does line 1); any number of ranks.
// Departs: metadata=fused sends sizes and blocks in one message, received into the agreed upper bound (where
//   that exceeds Wire::limit() the round is separate), and no sizes in a round of only a direct block, which
//   both ends know. The index array I of line 5 is computed as it is used. Line 9 is read as "is z", line 16
//   as the text has it: a block is home when no digit above x is left. T's index takes floor(log_r o).
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
        : exchange_(exchange), group_(exchange.group), wire_(context.wire),
          fused_(context.parameters[Parameter::metadata] == static_cast<std::int64_t>(Metadata::fused)),
          temporary_(context.workspace.take(layout.slots * exchange.max_block).data()),
          temporary_sizes_(context.workspace.take_array<Size>(layout.slots).data()),
          outgoing_(context.workspace.take(layout.message_bytes).data()),
          incoming_(context.workspace.take(layout.message_bytes).data()) {}

    Status run(int radix) {
        Status status;
        for (Round round(group_.size, radix); round.valid(); round.advance()) { // lines 6 and 7
            status.keep(round.blocks() == 1 ? exchange_direct(round) : exchange_blocks(round));
        }
        return status;
    }

  private:
    // A round of one block, the direct one: from S to R without a copy.
    Status exchange_direct(const Round& round) {
        const int destination = group_.down(round.distance());
        const int source = group_.up(round.distance());
        Status status;
        if (!fused_) {
            const auto size = static_cast<Size>(exchange_.send_size(destination));
            std::memcpy(outgoing_, &size, sizeof size);
            status = wire_.exchange(destination, outgoing_, sizeof size, source, incoming_, sizeof size);
        }
        status.keep(wire_.exchange(destination, exchange_.send_to(destination),
                                   exchange_.send_size(destination), source, exchange_.recv_from(source),
                                   exchange_.recv_size(source)));
        return status;
    }

    Status exchange_blocks(const Round& round) {
        const auto blocks = static_cast<std::size_t>(round.blocks());
        const std::size_t metadata = blocks * sizeof(Size);
        const std::size_t data = pack(round, metadata);
        const int destination = group_.down(round.distance()); // lines 12 and 13
        const int source = group_.up(round.distance());

        const std::size_t most = metadata + blocks * exchange_.max_block;
        Status status;
        if (fused_ && most <= wire_.limit()) {
            status = wire_.exchange(destination, outgoing_, metadata + data, source, incoming_, most);
            forget_sizes_after(status, metadata);
        } else {
            status = wire_.exchange(destination, outgoing_, metadata, source, incoming_, metadata); // line 14
            forget_sizes_after(status, metadata);
            status.keep(wire_.exchange(destination, outgoing_ + metadata, data, source, incoming_ + metadata,
                                       incoming_data(blocks))); // line 15
        }
        status.keep(unpack(round, metadata));
        return status;
    }

    // Sizes that did not arrive must not be read: nothing came.
    void forget_sizes_after(Status status, std::size_t metadata) {
        if (!status.ok()) std::memset(incoming_, 0, metadata);
    }

    // Lines 8 to 11: gathers the blocks whose digit x is z; their bytes without the sizes.
    std::size_t pack(const Round& round, std::size_t metadata) {
        auto* sizes = reinterpret_cast<Size*>(outgoing_);
        std::byte* const begin = outgoing_ + metadata;
        std::byte* out = begin;
        auto append = [&](const std::byte* block, std::size_t size) {
            copy_bytes(out, block, size);
            out += size;
            *sizes++ = static_cast<Size>(size);
        };
        round.for_each_range([&](OffsetRange range) {
            const int destination = group_.down(range.begin); // first hop: still in S
            append(exchange_.send_to(destination), exchange_.send_size(destination));
            for (int offset = range.begin + 1; offset < range.end; ++offset) {
                const auto slot = static_cast<std::size_t>(offset - range.shift);
                append(temporary_ + slot * exchange_.max_block, temporary_sizes_[slot]);
            }
        });
        return static_cast<std::size_t>(out - begin);
    }

    // Lines 16 to 20: blocks that are home go to R, the others to T until their next hop.
    Status unpack(const Round& round, std::size_t metadata) {
        const auto* sizes = reinterpret_cast<const Size*>(incoming_);
        const std::byte* in = incoming_ + metadata;
        Status status;
        round.for_each_range([&](OffsetRange range) {
            const bool home = range.begin == round.distance();
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

    std::size_t incoming_data(std::size_t blocks) const {
        const auto* sizes = reinterpret_cast<const Size*>(incoming_);
        return std::accumulate(sizes, sizes + blocks, std::size_t{0});
    }

    const Exchange& exchange_;
    const Group& group_;
    Wire& wire_;
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
    status.keep(layout.size_bytes == sizeof(std::uint32_t)
                    ? Tuna<std::uint32_t>(exchange, context, layout).run(radix)
                    : Tuna<std::uint64_t>(exchange, context, layout).run(radix));
    return status;
}

} // namespace switchyard::algorithms::alltoallv
