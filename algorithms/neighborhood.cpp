#include "neighborhood.hpp"

#include <algorithm>
#include <tuple>

namespace switchyard::algorithms {

namespace {

using Neighbor = Neighborhood::Neighbor;

// Numbers the blocks of each rank in their order.
std::vector<Neighbor> numbered(std::span<const int> ranks_of_blocks, int ranks, int& most_repeated) {
    std::vector<int> seen(static_cast<std::size_t>(ranks), 0);
    std::vector<Neighbor> neighbors;
    int block = 0;
    for (const int rank : ranks_of_blocks) {
        if (rank != Neighborhood::nobody) {
            int& occurrences = seen[static_cast<std::size_t>(rank)];
            neighbors.push_back({rank, occurrences++, block});
            most_repeated = std::max(most_repeated, occurrences);
        }
        ++block;
    }
    return neighbors;
}

// `distance(rank)`: places along the ring, 0 for this rank.
template <typename Distance>
void sort_by_distance(std::vector<Neighbor>& neighbors, const Distance& distance) {
    std::ranges::sort(neighbors, {}, [&](const Neighbor& neighbor) {
        return std::pair(distance(neighbor.rank), neighbor.occurrence);
    });
}

// The blocks for the rank itself, which come first.
std::vector<Neighbor> take_own(std::vector<Neighbor>& neighbors, int rank) {
    const auto end = std::ranges::find_if(neighbors, [&](const auto& other) { return other.rank != rank; });
    std::vector<Neighbor> own(neighbors.begin(), end);
    neighbors.erase(neighbors.begin(), end);
    return own;
}

int block_of(std::span<const Neighbor> neighbors, int rank, int occurrence) {
    const auto found = std::ranges::find_if(neighbors, [&](const Neighbor& neighbor) {
        return neighbor.rank == rank && neighbor.occurrence == occurrence;
    });
    return found->block;
}

} // namespace

Neighborhood::Neighborhood(int rank, int ranks, std::vector<int> destinations, std::vector<int> sources,
                           std::span<const int> occurrences)
    : destinations_(std::move(destinations)), sources_(std::move(sources)),
      sent_(numbered(destinations_, ranks, most_repeated_)),
      received_(numbered(sources_, ranks, most_repeated_)) {
    if (!occurrences.empty())
        for (Neighbor& neighbor : received_)
            neighbor.occurrence = occurrences[static_cast<std::size_t>(neighbor.block)];
    sort_by_distance(sent_, [&](int other) { return other >= rank ? other - rank : other - rank + ranks; });
    sort_by_distance(received_,
                     [&](int other) { return other <= rank ? rank - other : rank - other + ranks; });
    const auto own_sent = take_own(sent_, rank), own_received = take_own(received_, rank);
    for (std::size_t i = 0; i < std::min(own_sent.size(), own_received.size()); ++i)
        own_.push_back({own_sent[i].block, own_received[i].block});
}

int Neighborhood::block_of_sent(int destination, int occurrence) const {
    return block_of(sent_, destination, occurrence);
}

int Neighborhood::block_of_received(int source, int occurrence) const {
    return block_of(received_, source, occurrence);
}

} // namespace switchyard::algorithms
