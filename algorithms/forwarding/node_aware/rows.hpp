// Rows, in which blocks travel between nodes, and the places where they wait for their next hop.
#pragma once

#include "algorithms/forwarding/tuna/bundles.hpp"
#include "algorithms/patterns/packed_sizes.hpp"
#include "node_aware_schedule.hpp"

#include <span>

namespace switchyard::algorithms::forwarding {

// The end of the row of `blocks` blocks that begins there.
template <typename Size, typename Byte, typename Sizes>
Byte* end_of_row(Byte* row, int blocks, const Sizes& said_sizes) {
    if constexpr (!has_size<Size>) return row + static_cast<std::size_t>(blocks) * said_sizes.block();
    for (; blocks > 0; --blocks) row += size_bytes<Size> + said_sizes.bytes(said_at<Size>(row, said_sizes));
    return row;
}

// The rows that wait at this rank, by place. Rows of the first exchange wait where they arrived. Rows that
// were handed on are copied, since the next hand-over takes their memory.
class WaitingRows {
  public:
    WaitingRows(const NodeAwareShape& shape, const NodeAwareLayout& layout, Workspace& workspace)
        : places_(workspace.take_array<Part>(shape.slots * shape.rows).data()),
          copies_(workspace.take(layout.waiting_bytes + spare_bytes).data()) {}

    void keep(std::size_t place, std::byte* row, const std::byte* end) {
        places_[place] = {row, static_cast<std::size_t>(end - row)};
    }
    void keep_copy(std::size_t place, const std::byte* row, const std::byte* end) {
        const auto bytes = static_cast<std::size_t>(end - row);
        copy_bytes(copies_, row, bytes);
        places_[place] = {copies_, bytes};
        copies_ += bytes;
    }
    const Part& at(std::size_t place) const { return places_[place]; }

  private:
    Part* const places_;
    std::byte* copies_; // room for the next copy
};

} // namespace switchyard::algorithms::forwarding
