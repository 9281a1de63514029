#include "node_room.hpp"

#include <utility>

namespace switchyard::algorithms {

std::byte* NodeRoom::place_for_all(std::size_t bytes, const section::Notice& own) {
    if (bytes <= most_near_bytes()) return sections_.own() + near_place(bytes);
    const std::size_t place = ring_place(bytes);
    own.places[sections_.rank()].shown_or_offered = static_cast<std::uint32_t>(place);
    return sections_.own() + place;
}

std::size_t NodeRoom::bring_all_pages() {
    ring_.has_memory(pages_.reach(sections_.layout().ring_begin + sections_.layout().ring_bytes));
    pages_.need(ring_.last());
    ring_.widen(ring_.last());
    return ring_.last();
}

// Where ranks share cores, calls are so much faster than an MPI's calls that pages may take more of their
// time. The same holds for calls with small blocks. Where each rank has a core, a rank that brings pages
// holds up all other ranks. So all ranks bring their pages at the same call: the first call with bytes in
// each turn of `epochs` epochs.
void NodeRoom::earn_pages(std::size_t bytes, bool are_small, bool shares_cores, std::uint64_t epoch) {
    constexpr std::int64_t usual = 32, of_small_blocks = 16, on_shared_cores = 8;
    constexpr std::uint64_t epochs = 128;
    pages_.save(bytes, shares_cores ? on_shared_cores : are_small ? of_small_blocks : usual);
    const std::uint64_t turn = epoch / epochs;
    if (!shares_cores && std::exchange(pages_turn_, turn) == turn) return;
    if (!pages_.spend()) return;
    ring_.has_memory(pages_.memory_end());
    ring_.widen(pages_.end());
}

} // namespace switchyard::algorithms
