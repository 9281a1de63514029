#include "row.hpp"

#include "shim/back_end/process/process.hpp"

#include <algorithm>
#include <numeric>
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

} // namespace

Row::Row(MPI_Comm comm, const Process& self) : row_(comm) {
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &ranks_);
    is_inter_ = inter != 0;
    // An intracommunicator holds strangers only if it comes from a communicator that MPI_Intercomm_merge made, and all
    // its ranks took part in that merge.
    if (!is_inter_ && !self.merged_groups.load(std::memory_order_relaxed)) return;
    if (self.world == MPI_COMM_NULL) { // sessions: nobody knows who started with whom
        if (is_inter_) row_ = MPI_COMM_NULL;
        return;
    }
    MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    PMPI_Comm_group(self.world, &world);
    auto members = members_of(comm, is_inter_, world);
    ranks_ = static_cast<int>(members.size());
    has_strangers_ = std::erase(members, MPI_UNDEFINED) > 0;
    if (is_inter_ || has_strangers_) {
        std::sort(members.begin(), members.end()); // both sides of an intercommunicator see one order
        PMPI_Group_incl(world, static_cast<int>(members.size()), members.data(), &group);
        is_ours_ = PMPI_Comm_create_group(self.world, group, 0, &row_) == MPI_SUCCESS;
        if (!is_ours_) row_ = MPI_COMM_NULL;
        PMPI_Group_free(&group);
    }
    PMPI_Group_free(&world);
}

Row::~Row() {
    if (is_ours_) PMPI_Comm_free(&row_);
}

} // namespace switchyard::shim
