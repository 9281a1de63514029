// Rows, in which blocks travel between nodes, and the memory where rows wait for their next hop. A row is all
// blocks of one source for the ranks of one lane of one node: sizes, then blocks.
#pragma once

#include "algorithms/alltoallv/node_aware_scratch.hpp"
#include "algorithms/alltoallv/tuna/bundles.hpp"
#include "algorithms/patterns/packed_sizes.hpp"

#include <algorithm>
#include <span>

namespace switchyard::algorithms::alltoallv {

struct Row {
    std::byte* begin;
    std::size_t blocks, bytes;
    std::size_t size_bytes; // of one block size

    // The row that begins there.
    static Row read(std::byte* begin, std::size_t blocks, std::size_t size_bytes) {
        Row row{begin, blocks, blocks * size_bytes, size_bytes};
        for (std::size_t i = 0; i < blocks; ++i) row.bytes += row.sizes().get(i);
        return row;
    }
    std::byte* end() const { return begin + bytes; }
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

// Inside a node a block travels as a row of one block: its size, then its bytes.
inline void append_block(Bundles& bundles, int to, const std::byte* data, std::size_t size,
                         std::size_t size_bytes) {
    patterns::PackedSizes(bundles.extend(to, size_bytes), size_bytes).set(0, size);
    bundles.append(to, data, size);
}
// Delivers such a block, which came from `source`. Returns its end.
inline std::byte* deliver_block(const Exchange& exchange, int source, std::byte* in, std::size_t size_bytes,
                                Status& status) {
    const std::size_t size = patterns::PackedSizes(in, size_bytes).get(0);
    status.keep(deliver(exchange, source, in + size_bytes, size));
    return in + size_bytes + size;
}

// The rows that wait at this rank, by key and by local rank of the source. A key is the offset of the
// destination's node and the lane.
class WaitingRows {
  public:
    // Memory: waiting_rows_scratch_bytes.
    WaitingRows(const NodeAwareLayout& layout, Workspace& workspace)
        : rows_(layout.rows), row_bytes_(layout.row_bytes), slot_of_(workspace.take_array<int>(layout.keys)),
          bytes_(workspace.take_array<std::size_t>(layout.slots * rows_)),
          data_(workspace.take(layout.slots * rows_ * row_bytes_).data()) {
        std::ranges::fill(slot_of_, -1);
    }

    // Returns the end of the row, where the next one begins.
    std::byte* keep(std::size_t key, int source, const Row& row) {
        const std::size_t place = place_of(key, source);
        copy_bytes(data_ + place * row_bytes_, row.begin, row.bytes);
        bytes_[place] = row.bytes;
        return row.end();
    }
    // Appends the row, without its first `without` bytes, to a message. Returns the new end of the message.
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
