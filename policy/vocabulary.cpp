#include "vocabulary.hpp"

#include <algorithm>

namespace switchyard::policy {

namespace {

std::uint64_t ranks(const Features& call) {
    return static_cast<std::uint64_t>(call.ranks);
}
std::uint64_t ranks_per_node(const Features& call) {
    return static_cast<std::uint64_t>(call.ranks_per_node);
}
std::uint64_t nodes(const Features& call) {
    return static_cast<std::uint64_t>(call.nodes);
}
std::uint64_t max_block_bytes(const Features& call) {
    return call.max_block_bytes;
}

constexpr Range any_ranks{1, most_ranks};

constexpr std::array<RangeKey, range_key_count> keys = {
    RangeKey{"ranks", &When::ranks, ranks, any_ranks, true},
    RangeKey{"ranks_per_node", &When::ranks_per_node, ranks_per_node, any_ranks, true},
    RangeKey{"nodes", &When::nodes, nodes, any_ranks, true},
    RangeKey{"max_block_bytes", &When::max_block_bytes, max_block_bytes, Range{0, most_bytes}, false},
};

} // namespace

std::span<const RangeKey, range_key_count> range_keys() {
    return keys;
}

std::vector<std::string_view> when_keys() {
    std::vector<std::string_view> names = {"collective"};
    for (const RangeKey& key : keys) names.push_back(key.name);
    names.insert(names.end(), {"buffer", "in_place"});
    return names;
}

std::vector<std::string_view> algorithms_of(Collective collective) {
    std::vector<std::string_view> names;
    for (const algorithms::Traits& traits : algorithms::all_traits())
        if (traits.collective == collective) names.push_back(traits.name);
    return names;
}

std::vector<const algorithms::Traits*> find_all(std::string_view name, std::optional<Collective> only) {
    std::vector<const algorithms::Traits*> found;
    for (const algorithms::Traits& traits : algorithms::all_traits())
        if (traits.name == name && (!only || traits.collective == *only)) found.push_back(&traits);
    return found;
}

bool serves(const Use& use, Collective collective) {
    if (!use.is_adaptive()) return find(collective, use.algorithm) != nullptr;
    return std::ranges::any_of(use.candidates, [&](const Use& one) { return serves(one, collective); });
}

std::int64_t largest_of(const algorithms::ParameterTraits& parameter) {
    return algorithms::maximum_of(parameter, static_cast<int>(most_ranks));
}

} // namespace switchyard::policy
