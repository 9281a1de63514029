// Parts that the variants of Bruck's exchange share: one step, with messages that we pack or with derived
// datatypes, and the first and the last phase. S[i] and R[i] are the paper's blocks of the send and the
// receive buffer, p is the rank, and indices are modulo P.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/patterns/radix.hpp"
#include "algorithms/transport/messages/copy.hpp"
#include "algorithms/transport/messages/wire.hpp"

#include <cstddef>
#include <span>

namespace switchyard::algorithms::alltoall {

// ---- A step: all blocks i with the round's digit go out, and blocks of the same i come in ----------------

// Calls visit(i) for all blocks of the step, in their order in the message.
template <typename Visitor>
void for_each_block(const patterns::Round& step, Visitor&& visit) {
    step.for_each_range([&](patterns::OffsetRange range) {
        for (int i = range.begin; i < range.end; ++i) {
            visit(i);
        }
    });
}

// Steps with packed messages: block i is copied from from(i) into the outgoing message, and from the incoming
// message to to(i), which may be the same place.
class PackedBlocks {
  public:
    PackedBlocks(const Exchange& exchange, Context& context, std::size_t message_bytes)
        : wire_(context.wire), block_(exchange.max_block),
          outgoing_(context.workspace.take(message_bytes).data()),
          incoming_(context.workspace.take(message_bytes).data()) {}

    template <typename From, typename To>
    Status exchange(const patterns::Round& step, int destination, int source, From&& from, To&& to) {
        wire_.enter(Phase::rearrange);
        std::byte* out = outgoing_;
        for_each_block(step, [&](int i) {
            copy_bytes(out, from(i), block_);
            out += block_;
        });
        const auto bytes = static_cast<std::size_t>(out - outgoing_);
        wire_.enter(Phase::data);
        const Status status = wire_.exchange(destination, outgoing_, bytes, source, incoming_, bytes);
        wire_.enter(Phase::rearrange);
        const std::byte* in = incoming_;
        for_each_block(step, [&](int i) {
            copy_bytes(to(i), in, block_);
            in += block_;
        });
        return status;
    }

    // Room for one block, between steps.
    std::byte* spare() const { return outgoing_; }

  private:
    Wire& wire_;
    std::size_t block_;
    std::byte *outgoing_, *incoming_;
};

// Steps with derived datatypes: MPI takes block i from from(i) and puts it to to(i). The places must differ,
// since MPI may write before it has read.
class TypedBlocks {
  public:
    TypedBlocks(const Exchange& exchange, Context& context)
        : wire_(context.wire), block_(exchange.max_block),
          parts_(context.workspace.take_array<Part>(
              static_cast<std::size_t>(patterns::most_blocks(exchange.group.size, 2)))) {}

    template <typename From, typename To>
    Status exchange(const patterns::Round& step, int destination, int source, From&& from, To&& to) {
        wire_.enter(Phase::data);
        wire_.receive_parts(source, list(step, to));
        wire_.send_parts(destination, list(step, from));
        return wire_.wait_all();
    }

  private:
    template <typename Place>
    std::span<const Part> list(const patterns::Round& step, Place&& place) {
        std::size_t blocks = 0;
        for_each_block(step, [&](int i) { parts_[blocks++] = {place(i), block_}; });
        return parts_.first(blocks);
    }

    Wire& wire_;
    std::size_t block_;
    std::span<Part> parts_;
};

// Blocks 1 <= i < P in scratch memory: the paper's T, and the blocks that the paper receives
// into S. We may not write S.
class TemporaryBlocks {
  public:
    TemporaryBlocks(const Exchange& exchange, Context& context)
        : block_(exchange.max_block),
          data_(context.workspace.take(static_cast<std::size_t>(exchange.group.size - 1) * block_).data()) {}

    std::byte* operator[](int i) const { return data_ + static_cast<std::size_t>(i - 1) * block_; }

    // Room for one block, between steps.
    std::byte* spare() const { return data_; }

  private:
    std::size_t block_;
    std::byte* data_;
};

// ---- Rotations ------------------------------------------------------------------------------------------

// Basic Bruck, phase 1: R[i] = S[p + i].
inline Status shift(const Exchange& exchange) {
    if (exchange.group.size == 1) {
        return copy_own_block(exchange); // max_block does not count the own block
    }
    for (int i = 0; i < exchange.group.size; ++i) {
        copy_bytes(exchange.recv_from(i), exchange.send_to(exchange.group.up(i)), exchange.max_block);
    }
    return {};
}

// Basic Bruck, phase 3: R[i] = R[p - i]. Blocks change places in pairs, since p - (p - i) = i.
inline void shift_back(const Exchange& exchange, std::byte* spare) {
    for (int i = 0; i < exchange.group.size; ++i) {
        const int j = exchange.group.down(i);
        if (i < j) {
            copy_bytes(spare, exchange.recv_from(i), exchange.max_block);
            copy_bytes(exchange.recv_from(i), exchange.recv_from(j), exchange.max_block);
            copy_bytes(exchange.recv_from(j), spare, exchange.max_block);
        }
    }
}

// Modified Bruck: the block for R[p + i] is S[p - i]. (The paper counts i from 0, not
// from p: R[i] = S[2p - i].)
inline const std::byte* first_place(const Exchange& exchange, int i) {
    return exchange.send_to(exchange.group.down(i));
}

// R[p + i]: the place of block i between its hops. The last block i that arrives there is at home.
inline std::byte* place(const Exchange& exchange, int i) {
    return exchange.recv_from(exchange.group.up(i));
}

// Modified Bruck, phase 1: R[i] = S[2p - i], here as R[p + i] = S[p - i].
inline Status shift_down(const Exchange& exchange) {
    const Status status = copy_own_block(exchange);
    for (int i = 1; i < exchange.group.size; ++i) {
        copy_bytes(place(exchange, i), first_place(exchange, i), exchange.max_block);
    }
    return status;
}

} // namespace switchyard::algorithms::alltoall
