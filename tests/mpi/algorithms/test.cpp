#include "test.hpp"

namespace switchyard::tests {

using namespace algorithms;

constexpr std::array<RegionKind, 7> region_kinds = {
    RegionKind{"no regions", nullptr},
    RegionKind{"regions of 1", [](int, int local) { return local; }},
    RegionKind{"regions of 2", [](int, int local) { return local / 2; }},
    RegionKind{"regions of 3", [](int, int local) { return local / 3; }},
    RegionKind{"regions of 1, 3, 2",
               [](int, int local) {
                   return local / 6 * 3 + (local % 6 < 1 ? 0 : local % 6 < 4 ? 1 : 2);
               }},
    RegionKind{"in turn on 2 regions", [](int, int local) { return local % 2; }},
    RegionKind{"regions of 2 on every other node", [](int node, int local) { return node % 2 * local / 2; }},
};

std::optional<NodeMap> regions_of(std::size_t kind, const NodeMap& map, int rank) {
    if (region_kinds[kind].region_of == nullptr) return std::nullopt;
    const int node = map.node_of(rank);
    std::vector<std::uint64_t> ids;
    for (int local = 0; local < map.size_of(node); ++local)
        ids.push_back(static_cast<std::uint64_t>(region_kinds[kind].region_of(node, local)));
    return NodeMap(ids);
}

std::vector<NamedMap> all_maps(int ranks) {
    std::vector<NamedMap> maps;
    const auto add = [&](const std::string& name, auto&& node_of) {
        std::vector<std::uint64_t> ids;
        for (int rank = 0; rank < ranks; ++rank) ids.push_back(static_cast<std::uint64_t>(node_of(rank)));
        maps.push_back({name, NodeMap(ids), nullptr, NamedMap::Load::none});
    };
    add("one node with other programs", [](int) { return 0; });
    maps.back().load = NamedMap::Load::others;
    add("one node with a core for each rank", [](int) { return 0; });
    maps.back().load = NamedMap::Load::nobody;
    for (const int size : {1, 2, 3, 4, 8, ranks})
        add("nodes of " + std::to_string(size), [&](int rank) { return rank / size; });
    for (const int nodes : {2, 3, 5})
        add("in turn on " + std::to_string(nodes) + " nodes", [&](int rank) { return rank % nodes; });
    add("nodes of 3, 1, 4", [](int rank) {
        return rank / 8 * 3 + (rank % 8 < 3 ? 0 : rank % 8 < 4 ? 1 : 2);
    });
    add("nodes of 1 and the rest", [](int rank) { return rank == 0 ? 0 : 1; });
    add("scattered", [](int rank) { return rank * rank % 7 % 4; });
    return maps;
}

bool is_large_simulation(const Test& test) {
    return test.sampled && test.group.size > most_partners_to_simulate;
}

Report report_to(Failures& failures) {
    return [&failures](bool good, const std::string& place, const std::string& what) {
        failures.set_place(place);
        failures.check(good, what);
    };
}

} // namespace switchyard::tests
