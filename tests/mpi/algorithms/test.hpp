// What all checks of the algorithms need: the ranks, their placements on nodes, and a count of what failed.
#pragma once

#include "overlap.hpp"

#include "algorithms/group.hpp"
#include "algorithms/traits.hpp"
#include "algorithms/transport/memory/node_memory.hpp"
#include "algorithms/transport/memory/node_window.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mpi.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::tests {

using namespace algorithms;

// The failed checks of this rank. The first few are printed, all are counted.
class Failures {
  public:
    void set_place(std::string place) { place_ = std::move(place); }
    const std::string& place() const { return place_; }

    void check(bool good, const std::string& what) {
        ++checks_;
        if (!good && ++failures_ <= 5) {
            std::fprintf(stderr, "rank %d: %s: %s\n", rank_, place_.c_str(), what.c_str());
        }
    }
    void check_equal(std::uint64_t found, std::uint64_t expected, const std::string& what) {
        check(found == expected, what + " is " + std::to_string(found) + ", not " + std::to_string(expected));
    }

    int rank_ = 0;
    long checks_ = 0, failures_ = 0;

  private:
    std::string place_;
};

struct NamedMap {
    std::string name;
    NodeMap map;
    std::unique_ptr<NodeWindow> window; // small, so that most exchanges take streams
    // Whether other programs seem to have the cores: so that its ranks read streams from each other's memory,
    // or, where several ranks share each core, send messages instead.
    using Load = NodeWindow::Load;
    Load load = Load::none;
};

// The regions inside each node.
struct RegionKind {
    std::string_view name;
    int (*region_of)(int node, int local_rank); // null: no regions
};

extern const std::array<RegionKind, 7> region_kinds;

std::optional<NodeMap> regions_of(std::size_t kind, const NodeMap& map, int rank);

struct Test {
    Group group;     // for the algorithms
    MPI_Comm oracle; // for the MPI library's collectives
    bool reduced = false, sampled = false;
    std::string_view only{}; // "": all algorithms
    Failures failures;
    NodeMemory memory{4096};
    std::vector<NamedMap> maps; // placements on nodes, as many as there are kinds
    std::size_t map_index = 0;
    std::size_t region_kind = 0;
    std::optional<NodeMap> regions; // of this rank's node

    bool is_meant(const Traits& traits) const { return only.empty() || traits.name == only; }
    NodeWindow* window() const { return maps[map_index].window.get(); }
    std::string map_name() const {
        return maps[map_index].name + ", " + std::string(region_kinds[region_kind].name);
    }
    void take_map(std::size_t map, std::size_t kind) {
        map_index = map % maps.size();
        region_kind = kind % region_kinds.size();
        group.node_map = &maps[map_index].map;
        regions = regions_of(region_kind, *group.node_map, group.rank);
        group.region_map = regions ? &*regions : nullptr;
    }
    void take_next_map() { take_map(map_index + 1, region_kind + 1); }
    void take_one_node() {
        while (group.node_map->nodes() > 1) take_next_map();
    }
    void make_windows() {
        for (std::size_t i = 0; i < maps.size(); ++i) {
            take_map(i, 0);
            maps[i].window = NodeWindow::make(group, memory);
            if (maps[i].window) maps[i].window->assume(maps[i].load);
        }
    }
    void free_windows() {
        for (NamedMap& named : maps) named.window.reset();
    }
};

// Equal and ragged nodes, with ranks in order, in turn and scattered. Also one node,
// and a node for each rank.
std::vector<NamedMap> all_maps(int ranks);

// Beyond them a simulation takes few corners of the parameters, and leaves slow algorithms out.
inline constexpr int most_partners_to_simulate = 128;

bool is_large_simulation(const Test& test);

// Counts the checks of a subject of its own.
Report report_to(Failures& failures);

} // namespace switchyard::tests
