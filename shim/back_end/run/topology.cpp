#include "topology.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "algorithms/transport/messages/small_messages.hpp"
#include "all_manage.hpp"
#include "name_of_system.hpp"
#include "shim/common/diagnostics.hpp"
#include "shim/common/placement.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace switchyard::shim {

namespace {

// A rank's place among the ranks of its node.
struct Seat {
    int local_rank = 0, ranks = 1;
};

// Collective over the run's world, if there is one.
Seat find_seat(const Process& self) {
    Seat seat;
    if (self.world == MPI_COMM_NULL) return seat;
    std::vector<std::uint64_t> nodes;
    manage_together(self.world, [&] { nodes.resize(static_cast<std::size_t>(self.world_ranks)); });
    algorithms::gather_everywhere(&self.node, sizeof self.node, nodes.data(),
                                  algorithms::comm_of(self.world));
    seat.ranks = static_cast<int>(std::ranges::count(nodes, self.node));
    seat.local_rank = static_cast<int>(std::count(nodes.begin(), nodes.begin() + self.world_rank, self.node));
    return seat;
}

// The node as SWITCHYARD_RANKS_PER_NODE emulates it, or by the system's name. A rank of sessions
// has no place in a world.
std::uint64_t number_of_node(const Process& self) {
    const auto& text = self.settings.given(Setting::ranks_per_node);
    if (!text || self.world == MPI_COMM_NULL) return name_of_system();
    return static_cast<std::uint64_t>(Placement::parse(*text)->node_of(self.world_rank, self.world_ranks));
}

// The policy and the forced algorithms decide, so the answer is the same on all ranks of a run.
template <typename Property>
bool any_use_has(const Process& self, const Property& property) {
    return property(self.policy.otherwise) ||
           std::ranges::any_of(self.policy.rules, [&](const auto& rule) { return property(rule.use); }) ||
           std::ranges::any_of(self.force.by_collective,
                               [&](const auto& use) { return use && property(*use); });
}

std::int64_t value_of(const policy::Use& use, algorithms::Parameter parameter, std::int64_t otherwise) {
    return use.parameters[static_cast<std::size_t>(parameter)].value_or(otherwise);
}

bool looks_at_regions(const policy::Use& use) {
    return value_of(use, algorithms::Parameter::levels, 1) > 1;
}

bool shares_memory(const policy::Use& use) {
    constexpr auto shared = static_cast<std::int64_t>(algorithms::Intra::shared);
    if (value_of(use, algorithms::Parameter::intra, shared + 1) == shared) return true;
    return std::ranges::any_of(algorithms::all_collectives, [&](const auto& collective) {
        const auto* traits = algorithms::find(collective.collective, use.algorithm);
        return traits != nullptr && traits->has(algorithms::shared_memory);
    });
}

// One rank reports how the search went on all ranks. Collective over the world, if there is one.
void tell_of_regions(const Process& self, const std::string& kind, const std::string& problem) {
    int mine[] = {problem.empty() ? 0 : 1, problem.empty() && self.region == Region::none ? 1 : 0};
    int all[] = {mine[0], mine[1]};
    if (self.world != MPI_COMM_NULL) PMPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, self.world);
    manage_together(self.world, [&] {
        const auto of_ranks = " of " + std::to_string(self.world_ranks) + " ranks";
        constexpr const char* outcome = "; a node with such a rank counts as one region";
        if (all[0] > 0)
            warn("hwloc finds no regions on " + std::to_string(all[0]) + of_ranks +
                 (problem.empty() ? "" : " (" + problem + ")") + outcome);
        if (all[1] > 0)
            inform(std::to_string(all[1]) + of_ranks + " are bound to no single " + kind + outcome);
    });
}

bool runs_ours(const policy::Use& use) {
    return use.algorithm != "native";
}

// An agreement needs some numbers of each rank. A window of this size serves 500 ranks of a node.
constexpr std::size_t bytes_for_agreements = 131072;

// The memory that this process would share.
void find_memory(Process& self) {
    auto bytes = self.settings.shared_bytes();
    if (!any_use_has(self, shares_memory)) bytes = std::min(bytes, bytes_for_agreements);
    if (bytes == 0 || !any_use_has(self, runs_ours)) return;
    self.memory = std::make_unique<algorithms::NodeMemory>(bytes);
    self.memory->prepare();
    self.cores = algorithms::CoreSet::of_this_rank();
}

} // namespace

std::uint64_t mixed(std::uint64_t left, std::uint64_t right) {
    return (left ^ (right + 0x9e3779b97f4a7c15ULL + (left << 6) + (left >> 2))) * 0xff51afd7ed558ccdULL;
}

void find_node(Process& self) {
    self.node = mixed(self.run, number_of_node(self));
    self.network = self.settings.network();
    find_memory(self);
}

// Regions by hwloc, or as SWITCHYARD_RANKS_PER_REGION emulates them. Only if a rule looks at regions, since
// reading the machine takes a while.
void find_region_of(Process& self) {
    self.looks_at_regions = any_use_has(self, looks_at_regions);
    if (!self.looks_at_regions) return;
    const auto seat = find_seat(self);
    std::string kind, problem;
    bool asks_hwloc = false; // the same on all ranks
    manage_together(self.world, [&] {
        kind = self.settings.value(Setting::region);
        if (const auto& text = self.settings.given(Setting::ranks_per_region)) {
            self.region = Placement::parse(*text)->node_of(seat.local_rank, seat.ranks);
        } else if (kind != "none") {
            asks_hwloc = true;
            const auto found = find_region(kind);
            self.region = found.number;
            problem = found.problem;
        }
    });
    if (asks_hwloc) tell_of_regions(self, kind, problem);
}

} // namespace switchyard::shim
