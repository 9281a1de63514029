#include "block_sizes.hpp"

#include <algorithm>
#include <array>

namespace stress {

namespace {

// Where something changes its way: caches, eager limits, the preset of direct_from, slots of shared memory.
constexpr std::array<std::int64_t, 12> borders = {64,    128,   256,    1024,   4096,    8192,
                                                  16384, 65536, 131072, 262144, 1 << 20, 2 << 20};

std::int64_t draw_bytes(Stream& group, std::int64_t most) {
    const int kind = group.between(0, 99);
    if (kind < 5) return 0;
    if (kind < 15) return group.between(1, 3);
    if (kind < 45) return group.between(4, 64);
    if (kind < 65) return group.between(65, 2000);
    if (kind < 88) {
        const auto border = borders[group.below(kind < 84 ? 8 : borders.size())];
        return border + group.between(-1, 1);
    }
    if (kind < 97) return group.between(2000, 100'000);
    return static_cast<std::int64_t>(group.below(static_cast<std::uint64_t>(most))) + 1;
}

} // namespace

BlockSizes::BlockSizes(const SizeRequest& request, Stream& group) : key_(group.next()) {
    pattern_ = request.is_fixed || request.none_empty ? equal : static_cast<Pattern>(group.below(patterns));
    is_symmetric_ = request.is_symmetric;
    differs_by_side_ = group.percent(50);
    granule_ = group.pick(std::array{1, 1, 1, 2, 4});
    hot_source_ = static_cast<int>(group.below(static_cast<std::uint64_t>(request.ranks)));
    hot_destination_ = static_cast<int>(group.below(static_cast<std::uint64_t>(request.ranks)));
    auto bytes = draw_bytes(group, request.most_block_bytes);
    const bool is_one = pattern_ == one_hot || pattern_ == own_only;
    const auto most = request.most_side_bytes / (is_one ? 1 : request.ranks);
    bytes = std::min({bytes, most, request.most_block_bytes});
    most_ = static_cast<int>(bytes / std::max(request.unit_bytes, 1)) / granule_ * granule_;
    if (request.none_empty)
        most_ = std::max(most_, 2 * granule_); // one side of an intercommunicator has the half
}

int BlockSizes::units(int side, int source, int destination) const {
    const bool to_all = destination == same_for_all;
    if (is_symmetric_ && source < destination) std::swap(source, destination);
    const auto chance = mixed(key_, static_cast<std::uint64_t>(differs_by_side_ ? side : 0),
                              static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(destination));
    const auto part = [&](std::uint64_t of) {
        return static_cast<int>(chance % (of / static_cast<std::uint64_t>(granule_) + 1)) * granule_;
    };
    const auto most = static_cast<std::uint64_t>(most_);
    switch (pattern_) {
    case ragged: return part(most);
    case sparse: return chance % 4 == 0 ? most_ : 0;
    case one_hot: return source == hot_source_ && (to_all || destination == hot_destination_) ? most_ : 0;
    case power_law: return part(most >> (chance >> 32) % 12);
    case one_large:
        return source == hot_source_ && (to_all || destination == hot_destination_)
                   ? most_
                   : part(std::min<std::uint64_t>(most, 8));
    case half_silent: return source % 2 == 0 ? 0 : part(most);
    case own_only: return to_all || source == destination ? most_ : 0;
    case falling: return part(most / static_cast<std::uint64_t>(source + 1));
    default: return differs_by_side_ && side == 1 ? most_ / (2 * granule_) * granule_ : most_;
    }
}

} // namespace stress
