// Communicators of every shape: how they are made and how they go.
#pragma once

#include "member.hpp"
#include "random.hpp"

namespace stress {

// What all ranks of a lane draw together.
enum class Making {
    dup,
    idup,
    split,
    split_type,
    cart,
    cart_sub,
    graph,
    create,
    create_group,
    between, // an intercommunicator
    merge,
    makings
};

// Whether some group of ranks may get an intercommunicator.
bool may_make_inter(Making making, bool parent_may_be_inter);
// Whether messages of the program's own communicator may be needed for it: no wildcard may wait there.
bool sends_on_parent(Making making);

// Collective over `parent`; MPI_COMM_NULL for ranks that have no place. `group`: drawn together by its ranks.
MPI_Comm make_communicator(Making making, const Member& parent, Stream& group);

// `root` holds all ranks of the lane.
Member member_of(MPI_Comm comm, MPI_Comm root);

} // namespace stress
