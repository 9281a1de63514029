#include "placement.hpp"

#include <charconv>
#include <numeric>

namespace switchyard::shim {

std::optional<Placement> Placement::parse(std::string_view text) {
    constexpr std::string_view cyclic = "cyclic:";
    Placement placement;
    if (text.starts_with(cyclic)) {
        placement.cyclic_ = true;
        text.remove_prefix(cyclic.size());
    }
    while (true) {
        int ranks = 0;
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
        if (error != std::errc{} || ranks < 1) return std::nullopt;
        placement.blocks_.push_back(ranks);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.empty()) break;
        if (text.front() != ',') return std::nullopt;
        text.remove_prefix(1);
    }
    if (placement.cyclic_ && placement.blocks_.size() != 1) return std::nullopt;
    return placement;
}

int Placement::node_of(int rank, int world_ranks) const {
    if (cyclic_) {
        int nodes = 1 + (world_ranks - 1) / blocks_.front();
        return rank % nodes;
    }
    long long cycle = std::accumulate(blocks_.begin(), blocks_.end(), 0LL);
    auto blocks = static_cast<int>(blocks_.size());
    int node = static_cast<int>(rank / cycle) * blocks;
    long long left = rank % cycle;
    for (int block : blocks_) {
        if (left < block) break;
        left -= block;
        ++node;
    }
    return node;
}

} // namespace switchyard::shim
