// The steps by which the ranks of a communicator make a window together.
#include "node_window.hpp"

#include "algorithms/transport/messages/small_messages.hpp"
#include "algorithms/transport/messages/votes.hpp"
#include "core_set.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace switchyard::algorithms {

namespace {

// Where several ranks share each core, longer rings leave the caches before they are read. But a stream to
// each other rank needs room. Measured: RESULTS.md, rings of several ranks on a core.
std::size_t most_ring_bytes(int ranks, int cores) {
    constexpr std::size_t in_crowd = std::size_t{512} << 10, of_stream = std::size_t{8} << 10;
    if (simulation::is_on || !NodeRest::are_a_crowd(ranks, cores)) return SIZE_MAX;
    return std::max(in_crowd, of_stream * static_cast<std::size_t>(ranks));
}

// Slices count with 32 bits.
std::size_t section_bytes_of(const NodeMemory& memory) {
    return std::min<std::size_t>(memory.section_bytes(), std::size_t{1} << 31);
}

} // namespace

std::unique_ptr<NodeWindow> NodeWindow::prepared(const Group& group, const NodeMemory& memory, int cores) {
    const std::size_t bytes = section_bytes_of(memory);
    const LocalRanks ranks(group);
    const section::Layout layout(ranks.count(), bytes, most_ring_bytes(ranks.count(), cores)),
        of_largest(ranks.most(), bytes);
    if (!of_largest.is_enough()) return nullptr;
    return std::unique_ptr<NodeWindow>(new NodeWindow(group, layout, of_largest.first_capacity(), cores));
}

NodeMemory::Place NodeWindow::offer(NodeMemory& memory) {
    return memory.lend();
}

std::unique_ptr<NodeWindow> NodeWindow::join(const Group& group, NodeMemory& memory,
                                             std::span<const NodeMemory::Place> places, int cores) noexcept {
    try {
        auto window = prepared(group, memory, cores);
        return window && window->map(group, memory, places) ? std::move(window) : nullptr;
    } catch (...) { // out of memory
        return nullptr;
    }
}

bool NodeWindow::map(const Group& group, NodeMemory& memory, std::span<const NodeMemory::Place> places) {
    if (!has_neighbours()) return true;
    const LocalRanks ranks(group);
    const auto pages = epochs().sections().join(ranks, memory, places);
    if (!pages) return false;
    epochs().room().has_pages(*pages);
    streams().offers().show_proof(memory.key());
    for (int local = 0; local < epochs().sections().size(); ++local) {
        const NodeMemory::Place& place = places[static_cast<std::size_t>(ranks.rank_of(local))];
        streams().offers().know(local, {place.process, place.key});
    }
    return true;
}

namespace {

bool introduce_to_neighbours(const Group& group, const NodeMemory& memory,
                             std::span<const NodeMemory::Place> places) {
    const LocalRanks ranks(group);
    for (int local = 0; local < ranks.count(); ++local)
        if (!memory.introduce_to(places[static_cast<std::size_t>(ranks.rank_of(local))])) return false;
    return true;
}

bool meet_guests(NodeMemory& memory) noexcept {
    try {
        memory.meet_guests();
        return true;
    } catch (...) { // out of memory
        return false;
    }
}

// `places` are the same on all ranks. If some rank has no memory, no rank needs to meet others.
bool can_meet(std::span<const NodeMemory::Place> places) {
    return std::ranges::all_of(places, [](const auto& place) { return static_cast<bool>(place); });
}

} // namespace

std::unique_ptr<NodeWindow> NodeWindow::meet_and_join(const Group& group, NodeMemory& memory,
                                                      std::span<const NodeMemory::Place> places,
                                                      int cores) noexcept {
    if (!can_meet(places)) return nullptr;
    const bool introduced = all_agree(memory.listen(), group.comm) &&
                            all_agree(introduce_to_neighbours(group, memory, places), group.comm);
    const bool met = meet_guests(memory);
    if (!introduced) return nullptr;
    auto window = met ? join(group, memory, places, cores) : nullptr;
    return all_agree(window != nullptr, group.comm) ? std::move(window) : nullptr;
}

#ifdef SWITCHYARD_SIMULATED

// Simulated ranks live in one process, so all ranks can use a rank's memory.
std::unique_ptr<NodeWindow> NodeWindow::make(const Group& group, NodeMemory& memory) {
    auto window = prepared(group, memory, 1);
    if (!window) return nullptr;
    struct Share {
        std::shared_ptr<std::byte[]> section;
        std::shared_ptr<simulation::Meeting> meeting;
    };
    const LocalRanks ranks(group);
    // calloc takes pages only where they are written.
    const Share own{{static_cast<std::byte*>(std::calloc(1, section_bytes_of(memory))), std::free},
                    std::make_shared<simulation::Meeting>(ranks.count())};
    const Share* const address = &own;
    std::vector<const Share*> shares(static_cast<std::size_t>(group.size));
    gather_everywhere(&address, sizeof address, shares.data(), group.comm);
    for (int local = 0; local < ranks.count(); ++local)
        window->epochs().sections().see(local,
                                        shares[static_cast<std::size_t>(ranks.rank_of(local))]->section);
    window->epochs().meet_in(shares[static_cast<std::size_t>(ranks.rank_of(0))]->meeting);
    return all_agree(true, group.comm) ? std::move(window) : nullptr; // until here, others read `own`
}

#else

std::unique_ptr<NodeWindow> NodeWindow::make(const Group& group, NodeMemory& memory) {
    struct Neighbour {
        NodeMemory::Place section;
        CoreSet cores;
    };
    const LocalRanks ranks(group);
    const auto own = offer(memory);
    const Neighbour mine{own, CoreSet::of_this_rank()};
    std::vector<Neighbour> all(static_cast<std::size_t>(group.size));
    gather_everywhere(&mine, sizeof mine, all.data(), group.comm);
    std::vector<NodeMemory::Place> places;
    for (const auto& one : all) places.push_back(one.section);
    std::vector<CoreSet> neighbours;
    for (int local = 0; local < ranks.count(); ++local)
        neighbours.push_back(all[static_cast<std::size_t>(ranks.rank_of(local))].cores);
    const int cores = cores_of(neighbours);
    auto window = join(group, memory, places, cores);
    if (!all_agree(window != nullptr, group.comm)) window = meet_and_join(group, memory, places, cores);
    if (window) window->open(group);
    if (!window || !window->has_neighbours()) memory.take_back(own);
    return window;
}

#endif

} // namespace switchyard::algorithms
