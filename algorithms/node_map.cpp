#include "node_map.hpp"

#include <algorithm>
#include <unordered_map>

namespace switchyard::algorithms {

NodeMap::NodeMap(std::span<const std::uint64_t> node_ids) {
    std::unordered_map<std::uint64_t, int> numbers;
    std::vector<int> sizes;
    for (const std::uint64_t id : node_ids) {
        const auto [entry, is_new] = numbers.try_emplace(id, static_cast<int>(sizes.size()));
        if (is_new) sizes.push_back(0);
        node_of_.push_back(entry->second);
        local_rank_.push_back(sizes[index(entry->second)]++);
    }
    begins_.push_back(0);
    for (const int size : sizes) begins_.push_back(begins_.back() + size);
    members_.resize(node_of_.size());
    for (int rank = 0; rank < ranks(); ++rank)
        members_[index(begins_[index(node_of(rank))] + local_rank(rank))] = rank;
    for (const int size : sizes) largest_ = std::max(largest_, size);
    smallest_ = largest_;
    for (const int size : sizes) smallest_ = std::min(smallest_, size);
}

NodeMap NodeMap::regions_of(int node, std::span<const int> region_ids) const {
    std::vector<std::uint64_t> ids;
    bool apart = true;
    for (const int rank : ranks_of(node)) {
        ids.push_back(static_cast<std::uint64_t>(region_ids[index(rank)]));
        apart = apart && region_ids[index(rank)] >= 0;
    }
    if (!apart) std::ranges::fill(ids, 0);
    return NodeMap(ids);
}

NodeMap NodeMap::blocks(int ranks, int ranks_per_node) {
    std::vector<std::uint64_t> ids;
    for (int rank = 0; rank < ranks; ++rank) ids.push_back(static_cast<std::uint64_t>(rank / ranks_per_node));
    return NodeMap(ids);
}

} // namespace switchyard::algorithms
