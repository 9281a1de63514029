// A call as an algorithm sees it: bytes, blocks and partners. It has no datatypes, no MPI_IN_PLACE and no
// communicator of the application.
#pragma once

#include "block.hpp"
#include "group.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace switchyard::algorithms {

class DirectBlocks;

// One shape for all collectives. The send side and the receive side do not overlap, with two
// exceptions. Where a rank sends one block to everybody, the own block may already lie in its place
// (same address on both sides). Where an algorithm `takes_overlap`, blocks of one side may overlap
// blocks of the other side in any way.
struct Exchange {
    const Group& group;
    const std::byte* send_base;
    // By destination, or one block for everybody (CollectiveTraits::sends_one_block).
    std::span<const Block> send;
    std::byte* recv_base;
    std::span<const Block> recv; // by source
    // Bytes of the largest block that any rank sends to another rank; the same on all ranks. Set for
    // algorithms that declare `agreed_block`, and for collectives whose block is known to all ranks
    // (CollectiveTraits::block_is_known). With `direct`: blocks of this size and larger go directly.
    std::size_t max_block;
    // For an exchange without an agreement (Parameter::direct_from). Null: all blocks are forwarded.
    DirectBlocks* direct = nullptr;

    const std::byte* send_to(int destination) const {
        return send_base + send[static_cast<std::size_t>(destination)].offset;
    }
    std::size_t send_size(int destination) const { return send[static_cast<std::size_t>(destination)].size; }
    std::byte* recv_from(int source) const {
        return recv_base + recv[static_cast<std::size_t>(source)].offset;
    }
    std::size_t recv_size(int source) const { return recv[static_cast<std::size_t>(source)].size; }

    // ---- For blocks that are, or may be, forwarded ----

    std::size_t said_size(int destination) const;
    std::size_t bytes_of(std::size_t said) const;
};

// What a message says about block sizes: the bytes of a block, or the mark `max_block` for a direct block.
class SaidSizes {
  public:
    static constexpr bool have_marks = true;
    explicit SaidSizes(const Exchange& exchange)
        : most_(exchange.direct == nullptr ? SIZE_MAX : exchange.max_block) {}

    bool is_direct(std::size_t bytes) const { return bytes >= most_; }
    std::size_t of(std::size_t bytes) const { return std::min(bytes, most_); }
    // The bytes that travel with the size `said` in a message. A mark travels without bytes.
    std::size_t bytes(std::size_t said) const { return said == most_ ? 0 : said; }

  private:
    std::size_t most_;
};

// The same for an exchange in which no block goes directly.
class PlainSizes {
  public:
    static constexpr bool have_marks = false;
    std::size_t of(std::size_t bytes) const { return bytes; }
    std::size_t bytes(std::size_t said) const { return said; }
};

// The same for an exchange of equal blocks: every rank knows their size, so no message says it.
class EqualSizes {
  public:
    static constexpr bool have_marks = false;
    explicit EqualSizes(const Exchange& exchange) : block_(exchange.max_block) {}
    std::size_t of(std::size_t bytes) const { return bytes; }
    std::size_t bytes(std::size_t said) const { return said; }
    std::size_t block() const { return block_; }

  private:
    std::size_t block_;
};

// Returns work(sizes). Where there are no direct blocks, the loops of `work` do not check for them.
template <typename Work>
auto with_said_sizes(const Exchange& exchange, Work&& work) {
    return exchange.direct == nullptr ? work(PlainSizes()) : work(SaidSizes(exchange));
}

inline std::size_t Exchange::said_size(int destination) const {
    return SaidSizes(*this).of(send_size(destination));
}
inline std::size_t Exchange::bytes_of(std::size_t said) const {
    return SaidSizes(*this).bytes(said);
}

} // namespace switchyard::algorithms
