// The chunks of a message (routes.hpp): the sizes of some blocks, then their bytes.
#pragma once

#include "algorithms/transport/messages/copy.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace switchyard::algorithms::neighborhood {

using Size = std::uint32_t; // of a block in a message

// The sizes of a chunk, and its bytes behind them.
class ChunkReader {
  public:
    ChunkReader(const std::byte* chunk, int blocks)
        : sizes_(chunk), bytes_(chunk + static_cast<std::size_t>(blocks) * sizeof(Size)) {}

    std::size_t next_size() {
        Size size = 0;
        std::memcpy(&size, sizes_, sizeof size);
        sizes_ += sizeof size;
        return size;
    }
    const std::byte* take(std::size_t bytes) { return std::exchange(bytes_, bytes_ + bytes); }
    const std::byte* end() const { return bytes_; } // after the last take()

  private:
    const std::byte *sizes_, *bytes_;
};

class ChunkWriter {
  public:
    ChunkWriter(std::byte* chunk, int blocks)
        : sizes_(chunk), bytes_(chunk + static_cast<std::size_t>(blocks) * sizeof(Size)) {}

    // `said`: a mark travels without bytes.
    void add(std::size_t said, const std::byte* block, std::size_t bytes) {
        const auto size = static_cast<Size>(said);
        std::memcpy(sizes_, &size, sizeof size);
        sizes_ += sizeof size;
        copy_bytes(bytes_, block, bytes);
        bytes_ += bytes;
    }
    std::byte* end() const { return bytes_; }

  private:
    std::byte *sizes_, *bytes_;
};

} // namespace switchyard::algorithms::neighborhood
