#include "members.hpp"

#include <algorithm>
#include <unistd.h>

namespace switchyard::shim {

namespace {

bool is_world(MPI_Comm comm, const Process& self) {
    if (self.world == MPI_COMM_NULL) return false;
    int same = MPI_UNEQUAL;
    PMPI_Comm_compare(comm, MPI_COMM_WORLD, &same);
    return same == MPI_IDENT;
}

} // namespace

Members::Members(MPI_Comm comm, Process& self) : are_world_(is_world(comm, self)), run_(self.run) {
    int ranks = 1;
    PMPI_Comm_rank(comm, &rank_);
    PMPI_Comm_size(comm, &ranks);
    if (self.world_rank < 0)
        self.world_rank = rank_; // sessions have no world: the first communicator stands in
    const std::uint32_t number = are_world_ ? 0 : ++self.communicators_met;
    const Member mine{self.run, self.node,   self.start_seconds,      self.world_rank,      getpid(),
                      number,   self.region, self.devices.are_here(), self.devices_may_come};
    list_.resize(static_cast<std::size_t>(ranks));
    PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, list_.data(), sizeof mine, MPI_BYTE, comm);
}

const Member& Members::leader() const {
    return *std::ranges::find(list_, run_, &Member::run);
}

bool Members::are_one_run() const {
    return std::ranges::all_of(list_, [this](const Member& member) { return member.run == run_; });
}

bool Members::any_has_driver() const {
    return std::ranges::any_of(list_, [](const Member& member) { return member.has_driver != 0; });
}

bool Members::any_may_get_driver() const {
    return std::ranges::any_of(list_, [](const Member& member) { return member.may_get_driver != 0; });
}

algorithms::NodeMap Members::node_map() const {
    std::vector<std::uint64_t> nodes;
    nodes.reserve(list_.size());
    for (const auto& member : list_) nodes.push_back(member.node);
    return algorithms::NodeMap(nodes);
}

std::vector<int> Members::regions() const {
    std::vector<int> regions;
    regions.reserve(list_.size());
    for (const auto& member : list_) regions.push_back(member.region);
    return regions;
}

std::vector<int> Members::world_ranks() const {
    std::vector<int> ranks;
    for (const auto& member : list_)
        if (member.run == run_) ranks.push_back(member.world_rank);
    return ranks;
}

} // namespace switchyard::shim
