#include "node_sections.hpp"

#include <cstring>
#include <new>
#include <utility>

namespace switchyard::algorithms {

NodeSections::NodeSections(int rank, int ranks, const section::Layout& layout)
    : rank_(rank), size_(ranks), layout_(layout), sections_(static_cast<std::size_t>(ranks)) {}

NodeSections::~NodeSections() {
    if (is_open_ && size_ > 1)
        for (std::byte* section : sections_) NodeMemory::leave(section);
}

std::optional<NodePages> NodeSections::join(const LocalRanks& ranks, NodeMemory& memory,
                                            std::span<const NodeMemory::Place> places) {
    if (!map(ranks, memory, places)) return std::nullopt;
    const NodeMemory::Place& own = places[static_cast<std::size_t>(ranks.rank_of(rank_))];
    auto pages = bring_first_pages(memory, own);
    if (!pages) return std::nullopt;
    clear_own();
    memory.set_users(own, static_cast<std::uint32_t>(size_));
    return pages;
}

// A node that was set by hand may be larger than a machine: then sections cannot be mapped.
bool NodeSections::map(const LocalRanks& ranks, NodeMemory& memory,
                       std::span<const NodeMemory::Place> places) {
    for (int local = 0; local < size_; ++local) {
        std::byte* const section = memory.data_at(places[static_cast<std::size_t>(ranks.rank_of(local))]);
        if (section == nullptr) return false;
        set(local, section);
    }
    return true;
}

// Brings the pages that the first calls use: this rank's own, and each neighbour's counts and notices. With
// many neighbours, their pages come only when they are touched. A neighbour's ring is only read, and the
// system maps many pages at the first read. Null: no memory.
std::optional<NodePages> NodeSections::bring_first_pages(NodeMemory& memory, const NodeMemory::Place& own) {
    constexpr int few = 16;
    const std::size_t first = layout_.ring_begin + layout_.first_bytes;
    if (!memory.extend(own, first)) return std::nullopt;
    const NodePages pages(memory, own, own_, first, layout_.ring_begin + layout_.ring_bytes);
    if (size_ <= few) warm_others(layout_.ring_begin);
    return pages;
}

void NodeSections::warm_others(std::size_t end) const {
    for (const int local : others()) NodeMemory::warm(of(local), end);
}

void NodeSections::see(int local, std::shared_ptr<std::byte[]> section) {
    set(local, section.get());
    seen_.push_back(std::move(section));
}

void NodeSections::set(int local, std::byte* section) {
    sections_[static_cast<std::size_t>(local)] = section;
    if (local == rank_) own_ = section;
}

void NodeSections::clear_own() {
    std::memset(own_, 0, layout_.first_notice);
    for (const std::uint64_t epoch : {0U, 1U}) new (layout_.notice(own_, epoch).header) section::Header{};
}

} // namespace switchyard::algorithms
