// Blocks with bytes of nobody between them, in the form that the memory of a node takes
// (algorithms/transport/memory/node_blocks.hpp). A rank that asks where a block is, is late now and then: in
// the middle of an epoch.
#pragma once

#include "dice.hpp"

#include "algorithms/block.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace switchyard::tests {

// From the bytes of a block follows whose it is, and of which turn.
inline void fill(std::span<std::byte> block, std::uint64_t turn, int source, int destination) {
    const auto pair = static_cast<std::uint64_t>(source * 64 + destination);
    for (std::size_t done = 0; done < block.size(); done += sizeof(std::uint64_t)) {
        const std::uint64_t word = mixed(turn, pair, done);
        std::memcpy(block.data() + done, &word, std::min(sizeof word, block.size() - done));
    }
}

class Side {
  public:
    // `dice`: lay the blocks out.
    Side(const std::vector<std::size_t>& sizes, Dice& dice) {
        std::size_t end = dice.roll(64);
        for (const std::size_t size : sizes) {
            blocks_.push_back({end, size});
            end += size + dice.roll(40);
        }
        bytes_.assign(end + 16, nobody);
    }

    void fill(std::size_t block, std::uint64_t turn, int source, int destination) {
        tests::fill({at(block), blocks_[block].size}, turn, source, destination);
    }
    const std::vector<std::byte>& bytes() const { return bytes_; }
    std::byte* base() { return bytes_.data(); }
    const std::vector<algorithms::Block>& blocks() const { return blocks_; }
    std::byte* at(std::size_t block) { return bytes_.data() + blocks_[block].offset; }

  private:
    static constexpr std::byte nobody{0xca};
    std::vector<algorithms::Block> blocks_;
    std::vector<std::byte> bytes_;
};

struct LateBlocks {
    Side& side;
    Delays& delays;

    std::size_t size(int local) const { return side.blocks()[static_cast<std::size_t>(local)].size; }
    std::byte* at(int local) const {
        delays.maybe();
        return side.at(static_cast<std::size_t>(local));
    }
    static constexpr bool is_direct(std::size_t) { return false; }
    static constexpr bool hears_all() { return false; }
    static constexpr void meets(int, std::size_t) {}
    static constexpr void meets_mark(int) {}
};

} // namespace switchyard::tests
