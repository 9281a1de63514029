#include "communicators.hpp"

#include "watch.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace stress {

namespace {

// Keys of a split: as before, from the last to the first, or any.
int draw_key(const Member& parent, Stream& group) {
    const int kind = group.between(0, 2);
    const auto any = mixed(group.next(), static_cast<std::uint64_t>(parent.rank)) % 100;
    return kind == 0 ? 0 : kind == 1 ? -parent.rank : static_cast<int>(any);
}

MPI_Comm split(const Member& parent, Stream& group) {
    const auto colors = static_cast<std::uint64_t>(group.between(1, 3));
    const bool some_leave = group.one_in(5);
    const auto chance = mixed(group.next(), static_cast<std::uint64_t>(parent.rank));
    const int key = draw_key(parent, group);
    const int color =
        some_leave && (chance >> 32) % 4 == 0 ? MPI_UNDEFINED : static_cast<int>(chance % colors);
    MPI_Comm comm;
    must(MPI_Comm_split(parent.comm, color, key, &comm), "MPI_Comm_split");
    return comm;
}

MPI_Comm split_type(const Member& parent, Stream& group) {
    MPI_Comm comm;
    must(
        MPI_Comm_split_type(parent.comm, MPI_COMM_TYPE_SHARED, draw_key(parent, group), MPI_INFO_NULL, &comm),
        "MPI_Comm_split_type");
    return comm;
}

// One to three dimensions. A rank or two may have no place in it.
MPI_Comm cart(const Member& parent, Stream& group) {
    const int nodes = std::max(1, parent.ranks - (group.one_in(3) ? 1 : 0)), dimensions = group.between(1, 3);
    int sizes[3] = {0, 0, 0}, periods[3];
    for (int& period : periods) period = group.between(0, 1);
    must(MPI_Dims_create(nodes, dimensions, sizes), "MPI_Dims_create");
    MPI_Comm comm;
    must(MPI_Cart_create(parent.comm, dimensions, sizes, periods, group.between(0, 1), &comm),
         "MPI_Cart_create");
    return comm;
}

MPI_Comm cart_sub(const Member& parent, Stream& group) {
    MPI_Comm whole = cart(parent, group), comm = MPI_COMM_NULL;
    if (whole == MPI_COMM_NULL) return comm;
    int remain[3];
    for (int& kept : remain) kept = group.between(0, 1);
    must(MPI_Cart_sub(whole, remain, &comm), "MPI_Cart_sub");
    must(MPI_Comm_free(&whole), "MPI_Comm_free");
    return comm;
}

// A ring, whose ranks the MPI may reorder.
MPI_Comm graph(const Member& parent, Stream& group) {
    const int next = (parent.rank + 1) % parent.ranks, last = (parent.rank + parent.ranks - 1) % parent.ranks;
    MPI_Comm comm;
    must(MPI_Dist_graph_create_adjacent(parent.comm, 1, &last, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                        MPI_INFO_NULL, group.between(0, 1), &comm),
         "MPI_Dist_graph_create_adjacent");
    return comm;
}

// Some of the ranks, in any order.
MPI_Comm part(Making making, const Member& parent, Stream& group) {
    std::vector<int> ranks(static_cast<std::size_t>(parent.ranks));
    std::iota(ranks.begin(), ranks.end(), 0);
    group.shuffle(ranks);
    ranks.resize(group.below(ranks.size()) + 1);
    const int tag = group.between(0, 1000);
    MPI_Group all, some;
    must(MPI_Comm_group(parent.comm, &all), "MPI_Comm_group");
    must(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some), "MPI_Group_incl");
    MPI_Comm comm = MPI_COMM_NULL;
    if (making == Making::create)
        must(MPI_Comm_create(parent.comm, some, &comm), "MPI_Comm_create");
    else if (std::ranges::find(ranks, parent.rank) != ranks.end())
        must(MPI_Comm_create_group(parent.comm, some, tag, &comm), "MPI_Comm_create_group");
    must(MPI_Group_free(&all), "MPI_Group_free");
    must(MPI_Group_free(&some), "MPI_Group_free");
    return comm;
}

MPI_Comm duplicate(Making making, const Member& parent) {
    MPI_Comm comm;
    if (making != Making::idup) {
        must(MPI_Comm_dup(parent.comm, &comm), "MPI_Comm_dup");
        return comm;
    }
    MPI_Request request;
    must(MPI_Comm_idup(parent.comm, &comm, &request), "MPI_Comm_idup");
    must(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    return comm;
}

// Two groups of any ranks.
MPI_Comm between(const Member& parent, Stream& group) {
    std::vector<int> ranks(static_cast<std::size_t>(parent.ranks));
    std::iota(ranks.begin(), ranks.end(), 0);
    group.shuffle(ranks);
    const auto cut = static_cast<std::ptrdiff_t>(group.below(ranks.size() - 1)) + 1;
    const int tag = group.between(0, 1000);
    const auto first = ranks.begin() + cut;
    const bool is_second = std::find(first, ranks.end(), parent.rank) != ranks.end();
    MPI_Comm own_part, comm;
    must(MPI_Comm_split(parent.comm, is_second ? 1 : 0, 0, &own_part), "MPI_Comm_split");
    const int leaders[] = {*std::min_element(ranks.begin(), first), *std::min_element(first, ranks.end())};
    must(MPI_Intercomm_create(own_part, 0, parent.comm, leaders[is_second ? 0 : 1], tag, &comm),
         "MPI_Intercomm_create");
    must(MPI_Comm_free(&own_part), "MPI_Comm_free");
    return comm;
}

MPI_Comm merge(const Member& parent, Stream& group) {
    const bool swapped = group.percent(50);
    MPI_Comm comm;
    must(MPI_Intercomm_merge(parent.comm, (parent.side == 1) != swapped ? 1 : 0, &comm),
         "MPI_Intercomm_merge");
    return comm;
}

// The rank in `root` of a group's first rank.
int first_in_root(MPI_Group group, MPI_Comm root) {
    MPI_Group all;
    must(MPI_Comm_group(root, &all), "MPI_Comm_group");
    const int zero = 0;
    int found = MPI_UNDEFINED;
    must(MPI_Group_translate_ranks(group, 1, &zero, all, &found), "MPI_Group_translate_ranks");
    must(MPI_Group_free(&all), "MPI_Group_free");
    return found;
}

} // namespace

bool may_make_inter(Making making, bool parent_may_be_inter) {
    return making == Making::between || (parent_may_be_inter && making != Making::merge);
}

bool sends_on_parent(Making making) {
    return making == Making::create_group || making == Making::between;
}

MPI_Comm make_communicator(Making making, const Member& parent, Stream& group) {
    if (parent.is_inter)
        return making == Making::merge ? merge(parent, group) : duplicate(Making::dup, parent);
    switch (making) {
    case Making::split: return split(parent, group);
    case Making::split_type: return split_type(parent, group);
    case Making::cart: return cart(parent, group);
    case Making::cart_sub: return cart_sub(parent, group);
    case Making::graph: return graph(parent, group);
    case Making::create:
    case Making::create_group: return part(making, parent, group);
    case Making::between: return parent.ranks > 1 ? between(parent, group) : duplicate(making, parent);
    default: return duplicate(making, parent);
    }
}

Member member_of(MPI_Comm comm, MPI_Comm root) {
    Member member{comm};
    if (comm == MPI_COMM_NULL) return member;
    int is_inter = 0;
    must(MPI_Comm_test_inter(comm, &is_inter), "MPI_Comm_test_inter");
    MPI_Comm_rank(comm, &member.rank);
    MPI_Comm_size(comm, &member.ranks);
    member.others = member.ranks;
    member.is_inter = is_inter != 0;
    MPI_Group group;
    must(MPI_Comm_group(comm, &group), "MPI_Comm_group");
    int first = first_in_root(group, root);
    must(MPI_Group_free(&group), "MPI_Group_free");
    if (member.is_inter) {
        MPI_Comm_remote_size(comm, &member.others);
        must(MPI_Comm_remote_group(comm, &group), "MPI_Comm_remote_group");
        const int other = first_in_root(group, root);
        must(MPI_Group_free(&group), "MPI_Group_free");
        member.side = first < other ? 0 : 1;
        first = std::min(first, other);
    }
    member.key = static_cast<std::uint64_t>(first);
    return member;
}

} // namespace stress
