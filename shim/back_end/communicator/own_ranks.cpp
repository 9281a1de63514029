#include "own_ranks.hpp"

#include "shim/back_end/process/process.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace switchyard::shim {

namespace {

// World ranks of a group's members; MPI_UNDEFINED for members outside our world.
std::vector<int> world_ranks_of(MPI_Group group, MPI_Group world) {
    int size = 0;
    PMPI_Group_size(group, &size);
    std::vector<int> ranks(static_cast<std::size_t>(size)), world_ranks(ranks.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    PMPI_Group_translate_ranks(group, size, ranks.data(), world, world_ranks.data());
    return world_ranks;
}

std::vector<int> members_of(MPI_Comm comm, bool is_inter, MPI_Group world) {
    MPI_Group local = MPI_GROUP_NULL, remote = MPI_GROUP_NULL;
    PMPI_Comm_group(comm, &local);
    auto members = world_ranks_of(local, world);
    PMPI_Group_free(&local);
    if (!is_inter) return members;
    PMPI_Comm_remote_group(comm, &remote);
    auto others = world_ranks_of(remote, world);
    PMPI_Group_free(&remote);
    members.insert(members.end(), others.begin(), others.end());
    return members;
}

// The largest number that a rank of either group offers; 0 after an error. An intercommunicator's reduction
// gives each group the result of the other group.
std::uint64_t largest_of_both_groups(std::uint64_t offered, MPI_Comm inter) {
    std::uint64_t theirs = 0, largest = 0;
    if (PMPI_Allreduce(&offered, &theirs, 1, MPI_UINT64_T, MPI_MAX, inter) != MPI_SUCCESS) return 0;
    const std::uint64_t known = std::max(offered, theirs);
    return PMPI_Allreduce(&known, &largest, 1, MPI_UINT64_T, MPI_MAX, inter) == MPI_SUCCESS ? largest : 0;
}

// The tag for the communicator that all ranks of both groups make now: no other one that any of them makes at
// the same time has it.
int agreed_tag(MPI_Comm inter, Process& self) {
    const auto ranks = static_cast<std::uint64_t>(self.world_ranks),
               rank = static_cast<std::uint64_t>(self.world_rank);
    const auto number = largest_of_both_groups(++self.own_ranks_made * ranks + rank, inter);
    const int first = self.largest_message_tag() + 1;
    const auto tags = static_cast<std::uint64_t>(self.largest_tag - first) + 1;
    return number == 0 || tags == 0 ? MPI_UNDEFINED : first + static_cast<int>(number % tags);
}

} // namespace

OwnRanks::OwnRanks(MPI_Comm comm, Process& self) : comm_(comm) {
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &ranks_);
    is_inter_ = inter != 0;
    // An intracommunicator holds strangers only if it comes from a communicator that MPI_Intercomm_merge
    // made, and all its ranks took part in that merge.
    if (!is_inter_ && !self.merged_groups.load(std::memory_order_relaxed)) return;
    if (self.world == MPI_COMM_NULL) { // sessions: nobody knows who started with whom
        if (is_inter_) comm_ = MPI_COMM_NULL;
        return;
    }
    MPI_Group world = MPI_GROUP_NULL;
    PMPI_Comm_group(self.world, &world);
    auto members = members_of(comm, is_inter_, world);
    ranks_ = static_cast<int>(members.size());
    has_strangers_ = std::erase(members, MPI_UNDEFINED) > 0;
    if (is_inter_ || has_strangers_) {
        comm_ = made_of(std::move(members), world, comm, self);
        is_ours_ = comm_ != MPI_COMM_NULL;
    }
    PMPI_Group_free(&world);
}

MPI_Comm OwnRanks::made_of(std::vector<int> members, MPI_Group world, MPI_Comm comm, Process& self) const {
    constexpr int only_tag = 0;
    if (has_strangers_ && self.some_have_threads) return MPI_COMM_NULL;
    const int tag = has_strangers_ ? only_tag : agreed_tag(comm, self);
    if (tag == MPI_UNDEFINED) return MPI_COMM_NULL;
    std::sort(members.begin(), members.end()); // both sides of an intercommunicator see one order
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm row = MPI_COMM_NULL;
    PMPI_Group_incl(world, static_cast<int>(members.size()), members.data(), &group);
    if (PMPI_Comm_create_group(self.world, group, tag, &row) != MPI_SUCCESS) row = MPI_COMM_NULL;
    PMPI_Group_free(&group);
    return row;
}

OwnRanks::~OwnRanks() {
    if (is_ours_) PMPI_Comm_free(&comm_);
}

} // namespace switchyard::shim
