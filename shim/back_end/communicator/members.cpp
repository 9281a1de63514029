#include "members.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "algorithms/transport/messages/small_messages.hpp"

#include <algorithm>
#include <stdexcept>
#include <unistd.h>

namespace switchyard::shim {

namespace {

// The world has one handle. MPI_Comm_compare cannot be used: in Open MPI 6 comparing a session's communicator
// with the world is an error.
bool is_world(MPI_Comm comm, const Process& self) {
    return self.world != MPI_COMM_NULL && comm == MPI_COMM_WORLD;
}

} // namespace

void SpareList::make(int ranks) {
    room_ = std::make_unique_for_overwrite<Member[]>(static_cast<std::size_t>(ranks));
    ranks_ = ranks;
}

Member* SpareList::take(int ranks) {
    return ranks <= ranks_ && !is_taken_.exchange(true) ? room_.get() : nullptr;
}

Members::Members(MPI_Comm comm, Process& self, const Offer& offer, SpareList& spare)
    : are_world_(is_world(comm, self)), run_(self.run) {
    int ranks = 1;
    PMPI_Comm_rank(comm, &rank_);
    PMPI_Comm_size(comm, &ranks);
    int none = -1; // without a world
    self.world_rank.compare_exchange_strong(none, rank_);
    const std::uint32_t number = are_world_ ? 0 : ++self.communicators_met;
    const Member mine{.run = self.run,
                      .node = self.node,
                      .start_seconds = self.start_seconds,
                      .world_rank = self.world_rank,
                      .pid = getpid(),
                      .number = number,
                      .region = self.region,
                      .has_driver = self.devices.are_here(),
                      .may_get_driver = self.devices_may_come,
                      .has_rdma = self.network == policy::Network::rdma,
                      .cores = self.cores,
                      .offer = offer};
    exchange(comm, mine, ranks, spare);
}

void Members::exchange(MPI_Comm comm, const Member& mine, int ranks, SpareList& spare) {
    const auto gather = [&](Member* all) {
        return algorithms::gather_everywhere(&mine, sizeof mine, all, algorithms::comm_of(comm));
    };
    try {
        list_.resize(static_cast<std::size_t>(ranks));
    } catch (...) {
        if (Member* const room = spare.take(ranks)) {
            gather(room);
            spare.give_back();
        }
        throw;
    }
    if (gather(list_.data()) != MPI_SUCCESS) throw std::runtime_error("the ranks do not meet");
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

bool Members::any_has_rdma() const {
    return std::ranges::any_of(list_, [](const Member& member) { return member.has_rdma != 0; });
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

std::uint64_t Members::tag() const {
    std::uint64_t largest = 0;
    for (const auto& member : list_) largest = std::max(largest, member.offer.tag);
    return largest;
}

std::vector<algorithms::NodeMemory::Place> Members::sections() const {
    std::vector<algorithms::NodeMemory::Place> sections;
    sections.reserve(list_.size());
    for (const auto& member : list_) sections.push_back(member.offer.section);
    return sections;
}

int Members::cores_of_node() const {
    std::vector<algorithms::CoreSet> sets;
    const auto node = list_[static_cast<std::size_t>(rank_)].node;
    for (const auto& member : list_)
        if (member.node == node) sets.push_back(member.cores);
    return algorithms::cores_of(sets);
}

std::vector<int> Members::world_ranks() const {
    std::vector<int> ranks;
    for (const auto& member : list_)
        if (member.run == run_) ranks.push_back(member.world_rank);
    return ranks;
}

} // namespace switchyard::shim
