#include "whereabouts.hpp"

#include "algorithms/node_window.hpp"
#include "all_manage.hpp"
#include "ranks_of_node.hpp"
#include "shim/common/diagnostics.hpp"
#include "shim/common/placement.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

namespace switchyard::shim {

namespace {

// A rank's place among the ranks of its node.
struct Seat {
    int local_rank = 0, ranks = 1;
};

// As SWITCHYARD_RANKS_PER_NODE pretends.
Seat seat_by_hand(Process& self, const std::string& text) {
    Seat seat;
    const auto placement = *Placement::parse(text);
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

// The world's ranks on this node. The MPI finds them once, when they are first asked for.
class Neighbours {
  public:
    explicit Neighbours(MPI_Comm world) : world_(world) {}
    Neighbours(const Neighbours&) = delete;
    Neighbours& operator=(const Neighbours&) = delete;
    ~Neighbours() {
        if (comm_ && *comm_ != MPI_COMM_NULL) PMPI_Comm_free(&*comm_);
    }
    // MPI_COMM_NULL: there is no world, or the MPI cannot tell. Collective over the world.
    MPI_Comm comm() {
        if (!comm_) comm_ = world_ == MPI_COMM_NULL ? MPI_COMM_NULL : ranks_of_node(world_);
        return *comm_;
    }

  private:
    MPI_Comm world_;
    std::optional<MPI_Comm> comm_;
};

// This rank's node, as the MPI sees it or as the system names it. Collective over the world.
Seat seat_by_machine(Process& self, MPI_Comm node) {
    Seat seat;
    int leader = self.world_rank;
    if (node != MPI_COMM_NULL) {
        PMPI_Bcast(&leader, 1, MPI_INT, 0, node);
        PMPI_Comm_rank(node, &seat.local_rank);
        PMPI_Comm_size(node, &seat.ranks);
    }
    self.node = mixed(self.run, static_cast<std::uint64_t>(leader));
    return seat;
}

Seat find_node(Process& self, Neighbours& neighbours) {
    const auto& text = self.settings.given(Setting::ranks_per_node);
    if (!text) return seat_by_machine(self, neighbours.comm());
    Seat seat;
    manage_together(self.world, [&] { seat = seat_by_hand(self, *text); });
    return seat;
}

template <typename Property>
bool has(const policy::Use& use, const Property& property) {
    if (use.is_adaptive())
        return std::ranges::any_of(use.candidates, [&](const auto& one) { return has(one, property); });
    return property(use);
}

// The policy and the forced algorithms decide, so the answer is the same on all ranks of a run.
template <typename Property>
bool any_use_has(const Process& self, const Property& property) {
    return has(self.policy.otherwise, property) ||
           std::ranges::any_of(self.policy.rules,
                               [&](const auto& rule) { return has(rule.use, property); }) ||
           std::ranges::any_of(self.force.by_collective,
                               [&](const auto& use) { return use && has(*use, property); });
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

// One rank says how the search went on all ranks. Collective over the world, if there is one.
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

// Regions by hwloc, or as SWITCHYARD_RANKS_PER_REGION pretends. Only where a rule looks at regions, since reading the
// machine takes a while.
void find_region_of(Process& self, const Seat& seat) {
    self.looks_at_regions = any_use_has(self, looks_at_regions);
    if (!self.looks_at_regions) return;
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

bool runs_ours(const policy::Use& use) {
    return use.algorithm != "native";
}

// An agreement needs some numbers of each rank. A window of this size serves 500 ranks of a node.
constexpr std::size_t bytes_for_agreements = 65536;

// The memory that this process would share, and the cores of the node. Collective over the world, if there is one.
void find_memory(Process& self, Neighbours& neighbours) {
    auto bytes = self.settings.shared_bytes();
    if (!any_use_has(self, shares_memory)) bytes = std::min(bytes, bytes_for_agreements);
    if (bytes == 0 || !any_use_has(self, runs_ours)) return;
    manage_together(self.world, [&] { self.memory = std::make_unique<algorithms::NodeMemory>(bytes); });
    if (self.memory) self.memory->prepare();
    self.node_cores = algorithms::NodeWindow::own_cores();
    if (MPI_Comm node = neighbours.comm(); node != MPI_COMM_NULL)
        self.node_cores = algorithms::NodeWindow::cores_of(node);
}

} // namespace

std::uint64_t mixed(std::uint64_t left, std::uint64_t right) {
    return (left ^ (right + 0x9e3779b97f4a7c15ULL + (left << 6) + (left >> 2))) * 0xff51afd7ed558ccdULL;
}

void find_place(Process& self) {
    Neighbours neighbours(self.world);
    find_region_of(self, find_node(self, neighbours));
    find_memory(self, neighbours);
}

void find_place_alone(Process& self, const std::string& host) {
    self.node = std::hash<std::string>{}(host);
    Neighbours neighbours(MPI_COMM_NULL); // not known yet
    find_region_of(self, {});
    find_memory(self, neighbours);
}

} // namespace switchyard::shim
