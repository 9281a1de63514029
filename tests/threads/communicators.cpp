#include "communicators.hpp"

#include "collectives.hpp"
#include "exported.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <tuple>

namespace switchyard::tests::threads {

namespace {

constexpr std::uint64_t context_of_self = std::uint64_t{1} << 62; // no other communicator gets there

MPI_ABI_Comm world() {
    const Rank& own = this_rank();
    MPI_ABI_Comm made{0, std::vector<int>(static_cast<std::size_t>(own.ranks)), own.number};
    std::iota(made.members.begin(), made.members.end(), 0);
    return made;
}

// Both contexts of a new communicator. Collective over `comm`. Communicators of disjoint
// groups may have the same ones.
std::uint64_t new_contexts(const MPI_ABI_Comm& comm) {
    std::uint64_t& used = this_rank().contexts;
    for (const std::uint64_t others : values_of_all(comm, used)) used = std::max(used, others);
    used += 2;
    return used - 1;
}

MPI_Comm with_members(std::uint64_t context, std::vector<int> members) {
    const auto own = std::ranges::find(members, this_rank().number);
    if (own == members.end()) return MPI_COMM_NULL;
    const int rank = static_cast<int>(own - members.begin());
    return new MPI_ABI_Comm{context, std::move(members), rank};
}

} // namespace

const MPI_ABI_Comm& object_of(MPI_Comm comm) {
    thread_local const MPI_ABI_Comm of_world = world();
    thread_local const MPI_ABI_Comm of_self{context_of_self, {this_rank().number}, 0};
    return comm == MPI_COMM_WORLD ? of_world : comm == MPI_COMM_SELF ? of_self : *comm;
}

} // namespace switchyard::tests::threads

using namespace switchyard::tests::threads;

SWITCHYARD_EXPORTED int MPI_Init(int*, char***) {
    return MPI_SUCCESS;
}
SWITCHYARD_EXPORTED int MPI_Finalize() {
    return MPI_SUCCESS;
}
SWITCHYARD_EXPORTED int PMPI_Error_class(int code, int* error_class) {
    *error_class = code;
    return MPI_SUCCESS;
}
SWITCHYARD_EXPORTED int PMPI_Comm_rank(MPI_Comm comm, int* rank) {
    *rank = object_of(comm).rank;
    return MPI_SUCCESS;
}
SWITCHYARD_EXPORTED int PMPI_Comm_size(MPI_Comm comm, int* size) {
    *size = size_of(object_of(comm));
    return MPI_SUCCESS;
}
SWITCHYARD_EXPORTED int PMPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler) { // all return
    return MPI_SUCCESS;
}
SWITCHYARD_EXPORTED int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
    *group = new MPI_ABI_Group{object_of(comm).members};
    return MPI_SUCCESS;
}
SWITCHYARD_EXPORTED int PMPI_Group_free(MPI_Group* group) {
    delete *group;
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}
SWITCHYARD_EXPORTED int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* created) {
    *created = with_members(new_contexts(object_of(comm)), group->members);
    return MPI_SUCCESS;
}
SWITCHYARD_EXPORTED int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* created) {
    const MPI_ABI_Comm& from = object_of(comm);
    *created = with_members(new_contexts(from), from.members);
    return MPI_SUCCESS;
}
SWITCHYARD_EXPORTED int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* created) {
    const MPI_ABI_Comm& from = object_of(comm);
    const std::uint64_t context = new_contexts(from);
    const auto colors = values_of_all(from, color), keys = values_of_all(from, key);
    std::vector<std::tuple<int, int>> ranks; // key, rank
    for (std::size_t rank = 0; rank < colors.size(); ++rank)
        if (colors[rank] == color && color != MPI_UNDEFINED)
            ranks.emplace_back(keys[rank], static_cast<int>(rank));
    std::ranges::sort(ranks);
    std::vector<int> members;
    for (const auto& [by, rank] : ranks) members.push_back(from.members[static_cast<std::size_t>(rank)]);
    *created = with_members(context, std::move(members));
    return MPI_SUCCESS;
}
SWITCHYARD_EXPORTED int PMPI_Comm_free(MPI_Comm* comm) {
    delete *comm;
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}
