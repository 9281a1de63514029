// Rows, in which blocks travel between nodes, and the memory where rows wait for their next hop. A row is all
// blocks of one source for the ranks of one lane of one node: sizes, as messages say them, then blocks.
#pragma once

#include "algorithms/alltoallv/node_aware_scratch.hpp"
#include "algorithms/alltoallv/tuna/bundles.hpp"
#include "algorithms/patterns/packed_sizes.hpp"

#include <algorithm>
#include <span>

namespace switchyard::algorithms::alltoallv {

struct Row {
    const Exchange& exchange;
    std::byte* begin;
    std::size_t blocks, bytes;
    std::size_t size_bytes; // of one block size

    // The row that begins there.
    static Row read(const Exchange& exchange, std::byte* begin, std::size_t blocks, std::size_t size_bytes) {
        Row row{exchange, begin, blocks, blocks * size_bytes, size_bytes};
        for (std::size_t i = 0; i < blocks; ++i) row.bytes += exchange.bytes_of(row.sizes().get(i));
        return row;
    }
    std::byte* end() const { return begin + bytes; }
    patterns::PackedSizes sizes() const { return {begin, size_bytes}; }
    // Calls visit(index, data, size as the row says it) for each block.
    template <typename Visitor>
    void for_each_block(Visitor&& visit) const {
        const std::byte* block = begin + blocks * size_bytes;
        for (std::size_t i = 0; i < blocks; ++i) {
            const std::size_t said = sizes().get(i);
            visit(i, block, said);
            block += exchange.bytes_of(said);
        }
    }
};

// The rows that wait at this rank, by key and by local rank of the source. A key is the offset of the
// destination's node and the lane. Rows lie one behind the other, so that memory is touched for what is there, not for
// what could be.
class WaitingRows {
  public:
    // Memory: waiting_rows_scratch_bytes.
    WaitingRows(const NodeAwareLayout& layout, Workspace& workspace)
        : rows_(layout.rows), slot_of_(workspace.take_array<int>(layout.keys)),
          places_(workspace.take_array<Block>(layout.slots * rows_)),
          data_(workspace.take(layout.kept * rows_ * layout.row_bytes).data()) {
        std::ranges::fill(slot_of_, -1);
    }

    // Returns the end of the row, where the next one begins.
    std::byte* keep(std::size_t key, int source, const Row& row) {
        copy_bytes(data_ + end_, row.begin, row.bytes);
        place_of(key, source) = {end_, row.bytes};
        end_ += row.bytes;
        return row.end();
    }
    // Appends the row, without its first `without` bytes, to a message. Returns the new end of the message.
    std::byte* append(std::size_t key, int source, std::byte* end, std::size_t without) {
        const auto [offset, bytes] = place_of(key, source);
        const std::size_t begin = std::min(without, bytes);
        copy_bytes(end, data_ + offset + begin, bytes - begin);
        return end + bytes - begin;
    }

  private:
    Block& place_of(std::size_t key, int source) {
        int& slot = slot_of_[key];
        if (slot < 0) slot = slots_++;
        return places_[static_cast<std::size_t>(slot) * rows_ + static_cast<std::size_t>(source)];
    }

    const std::size_t rows_;
    const std::span<int> slot_of_;
    const std::span<Block> places_;
    std::byte* const data_;
    std::size_t end_ = 0;
    int slots_ = 0;
};

} // namespace switchyard::algorithms::alltoallv
