#include "whereabouts.hpp"

#include "shim/common/diagnostics.hpp"
#include "shim/common/placement.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace switchyard::shim {

namespace {

// A rank's place among the ranks of its node.
struct Seat {
    int local_rank = 0, ranks = 1;
};

// Nodes by shared memory, or as SWITCHYARD_RANKS_PER_NODE pretends.
Seat find_node(Process& self) {
    Seat seat;
    if (const auto& text = self.settings.given(Setting::ranks_per_node)) {
        const auto placement = *Placement::parse(*text);
        const int node = placement.node_of(self.world_rank, self.world_ranks);
        self.node = mixed(self.run, static_cast<std::uint64_t>(node));
        seat.ranks = 0;
        for (int rank = 0; rank < self.world_ranks; ++rank) {
            if (placement.node_of(rank, self.world_ranks) != node) continue;
            ++seat.ranks;
            if (rank < self.world_rank) ++seat.local_rank;
        }
        return seat;
    }
    MPI_Comm node = MPI_COMM_NULL;
    int leader = self.world_rank;
    if (PMPI_Comm_split_type(self.world, MPI_COMM_TYPE_SHARED, self.world_rank, MPI_INFO_NULL, &node) ==
        MPI_SUCCESS) {
        PMPI_Bcast(&leader, 1, MPI_INT, 0, node);
        PMPI_Comm_rank(node, &seat.local_rank);
        PMPI_Comm_size(node, &seat.ranks);
        PMPI_Comm_free(&node);
    }
    self.node = mixed(self.run, static_cast<std::uint64_t>(leader));
    return seat;
}

bool looks_at_regions(const policy::Use& use) {
    if (use.is_adaptive())
        return std::ranges::any_of(use.candidates, [](const auto& one) { return looks_at_regions(one); });
    return use.parameters[static_cast<std::size_t>(algorithms::Parameter::levels)].value_or(1) > 1;
}

// The policy and the forced algorithms decide, so the answer is the same on all ranks of a run.
bool looks_at_regions(const Process& self) {
    const auto& forced = self.force.by_collective;
    const auto& rules = self.policy.rules;
    return looks_at_regions(self.policy.otherwise) ||
           std::any_of(rules.begin(), rules.end(),
                       [](const auto& rule) { return looks_at_regions(rule.use); }) ||
           std::any_of(forced.begin(), forced.end(),
                       [](const auto& use) { return use && looks_at_regions(*use); });
}

// One rank says how the search went on all ranks.
void tell_of_regions(const Process& self, const std::string& kind, const std::string& problem) {
    int mine[] = {problem.empty() ? 0 : 1, problem.empty() && self.region == Region::none ? 1 : 0};
    int all[] = {mine[0], mine[1]};
    if (self.world != MPI_COMM_NULL) PMPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, self.world);
    const auto of_ranks = " of " + std::to_string(self.world_ranks) + " ranks";
    constexpr const char* outcome = "; a node with such a rank counts as one region";
    if (all[0] > 0)
        warn("hwloc finds no regions on " + std::to_string(all[0]) + of_ranks +
             (problem.empty() ? "" : " (" + problem + ")") + outcome);
    if (all[1] > 0) inform(std::to_string(all[1]) + of_ranks + " are bound to no single " + kind + outcome);
}

// Regions by hwloc, or as SWITCHYARD_RANKS_PER_REGION pretends. Only where a rule looks at regions, since reading the
// machine takes a while.
void find_region_of(Process& self, const Seat& seat) {
    self.looks_at_regions = looks_at_regions(self);
    const auto kind = self.settings.value(Setting::region);
    if (!self.looks_at_regions) return;
    if (const auto& text = self.settings.given(Setting::ranks_per_region)) {
        self.region = Placement::parse(*text)->node_of(seat.local_rank, seat.ranks);
    } else if (kind != "none") {
        const auto found = find_region(kind);
        self.region = found.number;
        tell_of_regions(self, kind, found.problem);
    }
}

} // namespace

std::uint64_t mixed(std::uint64_t left, std::uint64_t right) {
    return (left ^ (right + 0x9e3779b97f4a7c15ULL + (left << 6) + (left >> 2))) * 0xff51afd7ed558ccdULL;
}

void find_place(Process& self) {
    find_region_of(self, find_node(self));
}

void find_place_alone(Process& self, const std::string& host) {
    self.node = std::hash<std::string>{}(host);
    find_region_of(self, {}); // the other ranks of the node are not known yet
}

} // namespace switchyard::shim
