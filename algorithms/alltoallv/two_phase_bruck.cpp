// Idea: Bruck's exchange without rotations for blocks of any size. Each step sends the sizes of its blocks,
//   then the blocks. A working buffer of P largest blocks holds the blocks on their way.
// Cost: K = ceil(log2 P) steps of two messages and of at most P / 2 blocks, D blocks in all: 2K * alpha +
//   beta * D * (block and its size).
// Needs: direct_from, or the largest block, agreed by all ranks (the caller does line
//   1); any number of ranks.
// Departs: the index arrays I and sd (lines 3 to 5, 8 to 10) are computed where they are used. `status` in
//   line 18 and `sendcounts` in line 32 are read with the index of lines 12 and 31. The paper does not name
//   the buffers of a step's messages: an outgoing and an incoming buffer, each of the most blocks of a step
//   times the largest block.
// Source: two-phase Bruck paper, section 3.2, algorithm 1.
#include "algorithms/algorithm.hpp"
#include "algorithms/transport/deliver.hpp"
#include "algorithms/transport/with_direct_blocks.hpp"
#include "two_phase_bruck_scratch.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace switchyard::algorithms::alltoallv {

namespace {

// An exchange under way. Size is the type of block sizes in a message. Names are the paper's: S and
// R are the application's buffers, sd is the data index of a block, and I(sd) is the destination
// that the block had in S.
template <typename Size>
class TwoPhaseBruck {
  public:
    TwoPhaseBruck(const Exchange& exchange, Context& context, const TwoPhaseLayout& layout)
        : exchange_(exchange), group_(exchange.group), wire_(context.wire),
          working_(context.workspace.take(layout.working_bytes).data()),
          status_(context.workspace.take_array<bool>(layout.ranks)),
          sendcounts_(context.workspace.take_array<Size>(layout.ranks)),
          metadata_(context.workspace.take_array<Size>(layout.most_blocks)),
          received_metadata_(context.workspace.take_array<Size>(layout.most_blocks)),
          outgoing_(context.workspace.take(layout.message_bytes).data()),
          incoming_(context.workspace.take(layout.message_bytes).data()) {}

    Status run() {
        std::ranges::fill(status_, false);
        for (int i = 0; i < group_.size; ++i) {
            sendcounts_[at(i)] = static_cast<Size>(exchange_.said_size(i));
        }
        Status status;
        for (int k = 0; (std::int64_t{1} << k) < group_.size; ++k) { // line 6
            status.keep(step(1 << k));
        }
        return status;
    }

  private:
    static std::size_t at(int index) { return static_cast<std::size_t>(index); }

    int sd(int i) const { return group_.up(i); }                // line 9: (p + i) mod P
    int I(int data) const { return group_.down(offset(data)); } // line 4: (2p - data) mod P
    int offset(int data) const {                                // (data - p) mod P
        return data >= group_.rank ? data - group_.rank : data - group_.rank + group_.size;
    }
    std::byte* W(int data) const { return working_ + at(data) * exchange_.max_block; }

    // Lines 8 to 10: calls visit(n, sd[n]) for the blocks whose k-th bit is 1. Returns their number.
    template <typename Visitor>
    std::size_t for_each_block(int two_to_k, Visitor&& visit) const {
        std::size_t n = 0;
        for (int i = two_to_k; i < group_.size; ++i) {
            if ((i & two_to_k) != 0) {
                visit(n++, sd(i));
            }
        }
        return n;
    }

    Status step(int two_to_k) {
        wire_.enter(Phase::metadata);
        const std::size_t n = for_each_block(two_to_k, [&](std::size_t i, int data) { // lines 11 to 13
            metadata_[i] = sendcounts_[at(I(data))];
        });
        const int sendrank = group_.down(two_to_k); // lines 14 and 15
        const int recvrank = group_.up(two_to_k);
        const auto metadata = metadata_.first(n);
        const auto updated = received_metadata_.first(n);
        Status status = wire_.exchange(sendrank, reinterpret_cast<const std::byte*>(metadata.data()),
                                       metadata.size_bytes(), recvrank,
                                       reinterpret_cast<std::byte*>(updated.data()), updated.size_bytes());
        if (!status.ok()) {
            std::ranges::fill(updated, Size{0}); // sizes that did not arrive must not be read
        }

        wire_.enter(Phase::rearrange);
        pack(two_to_k);
        wire_.enter(Phase::data);
        status.keep(wire_.exchange(sendrank, outgoing_, sum(metadata), recvrank, incoming_, sum(updated)));
        wire_.enter(Phase::rearrange);
        status.keep(unpack(two_to_k));
        return status;
    }

    // Lines 17 to 23.
    void pack(int two_to_k) {
        std::byte* out = outgoing_;
        for_each_block(two_to_k, [&](std::size_t i, int data) {
            const int destination = I(data);
            const std::size_t bytes = exchange_.bytes_of(metadata_[i]);
            copy_bytes(out, status_[at(destination)] ? W(data) : exchange_.send_to(destination), bytes);
            out += bytes;
        });
    }

    // Lines 25 to 33.
    Status unpack(int two_to_k) {
        Status result;
        const std::byte* in = incoming_;
        for_each_block(two_to_k, [&](std::size_t i, int data) {
            const std::size_t said = received_metadata_[i], bytes = exchange_.bytes_of(said);
            if (offset(data) < 2 * std::int64_t{two_to_k}) { // no bit above the k-th: it is home
                result.keep(deliver(exchange_, data, in, said));
            } else {
                copy_bytes(W(data), in, bytes);
            }
            in += bytes;
            status_[at(I(data))] = true;
            sendcounts_[at(I(data))] = received_metadata_[i];
        });
        return result;
    }

    std::size_t sum(std::span<const Size> sizes) const {
        return std::accumulate(
            sizes.begin(), sizes.end(), std::size_t{0},
            [this](std::size_t sum, std::size_t said) { return sum + exchange_.bytes_of(said); });
    }

    const Exchange& exchange_;
    const Group& group_;
    Wire& wire_;
    std::byte* const working_;     // W, P largest blocks by data index
    const std::span<bool> status_; // by destination: whether its block, or the block in its place, is in W
    const std::span<Size> sendcounts_;        // by destination: the size of that block
    const std::span<Size> metadata_;          // M, to send
    const std::span<Size> received_metadata_; // M, updated
    std::byte* const outgoing_;
    std::byte* const incoming_;
};

Status forward_in_two_phases(const Exchange& exchange, Context& context) {
    const auto layout = two_phase_layout(exchange.group.size, exchange.max_block);
    return layout.size_bytes == sizeof(std::uint32_t)
               ? TwoPhaseBruck<std::uint32_t>(exchange, context, layout).run()
               : TwoPhaseBruck<std::uint64_t>(exchange, context, layout).run();
}

} // namespace

Status two_phase_bruck(const Exchange& exchange, Context& context) {
    const std::size_t scratch =
        two_phase_bruck_scratch_bytes(exchange.group.size, exchange.max_block, context.parameters);
    if (scratch == 0) return copy_own_block(exchange); // nothing travels, as all ranks know
    if (!context.workspace.has(scratch)) return Fault::no_memory;
    Status status = copy_own_block(exchange);
    status.keep(with_direct_blocks(exchange, context, forward_in_two_phases));
    return status;
}

} // namespace switchyard::algorithms::alltoallv
