// Rows, in which blocks travel between nodes: what one source has for one node, or for the ranks of one lane
// there: sizes, then blocks; and where rows wait at a rank for their next hop.
#pragma once

#include "algorithms/copy.hpp"
#include "algorithms/patterns/packed_sizes.hpp"
#include "algorithms/workspace.hpp"

#include <algorithm>
#include <span>

namespace switchyard::algorithms::alltoallv {

struct Row {
    std::byte* begin;
    std::size_t blocks, bytes;
    std::size_t size_bytes; // of one block size

    // As it lies there.
    static Row read(std::byte* begin, std::size_t blocks, std::size_t size_bytes) {
        Row row{begin, blocks, blocks * size_bytes, size_bytes};
        for (std::size_t i = 0; i < blocks; ++i) row.bytes += row.sizes().get(i);
        return row;
    }
    patterns::PackedSizes sizes() const { return {begin, size_bytes}; }
    // Calls visit(index, data, bytes) for each block.
    template <typename Visitor>
    void for_each_block(Visitor&& visit) const {
        const std::byte* block = begin + blocks * size_bytes;
        for (std::size_t i = 0; i < blocks; ++i) {
            const std::size_t size = sizes().get(i);
            visit(i, block, size);
            block += size;
        }
    }
};

// By a key (where it goes to) and the source's local rank.
class WaitingRows {
  public:
    // Room for the rows of `slots` of the `keys`, `rows` for each. Memory:
    // patterns::waiting_rows_scratch_bytes.
    WaitingRows(std::size_t keys, std::size_t slots, std::size_t rows, std::size_t row_bytes,
                Workspace& workspace)
        : rows_(rows), row_bytes_(row_bytes), slot_of_(workspace.take_array<int>(keys)),
          bytes_(workspace.take_array<std::size_t>(slots * rows)),
          data_(workspace.take(slots * rows * row_bytes).data()) {
        std::ranges::fill(slot_of_, -1);
    }

    void keep(std::size_t key, int source, const Row& row) {
        const std::size_t place = place_of(key, source);
        copy_bytes(data_ + place * row_bytes_, row.begin, row.bytes);
        bytes_[place] = row.bytes;
    }
    // Appends that row to a message, but for so many bytes that it begins with; the message's new end.
    std::byte* append(std::size_t key, int source, std::byte* end, std::size_t without) {
        const std::size_t place = place_of(key, source);
        const std::size_t begin = std::min(without, bytes_[place]);
        copy_bytes(end, data_ + place * row_bytes_ + begin, bytes_[place] - begin);
        return end + bytes_[place] - begin;
    }

  private:
    std::size_t place_of(std::size_t key, int source) {
        int& slot = slot_of_[key];
        if (slot < 0) slot = slots_++;
        return static_cast<std::size_t>(slot) * rows_ + static_cast<std::size_t>(source);
    }

    const std::size_t rows_, row_bytes_;
    const std::span<int> slot_of_;
    const std::span<std::size_t> bytes_;
    std::byte* const data_;
    int slots_ = 0;
};

} // namespace switchyard::algorithms::alltoallv
