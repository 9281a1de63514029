// What the MPIs do wrong by themselves. The program keeps away from it, since it looks for faults of others.
#pragma once

#include "block_sizes.hpp"
#include "collective.hpp"
#include "layout.hpp"
#include "member.hpp"

namespace stress::own_faults {

#ifdef OPEN_MPI
inline constexpr bool is_open_mpi = true;
#else
inline constexpr bool is_open_mpi = false;
#endif

// Open MPI's allgatherv chooses its algorithm by the receive counts times the size of the sent type. So both
// types have to be of one size, and the same on all ranks, or the ranks do not meet. MPICH's passes large
// blocks on in pieces of items, and counts them by their extent.
inline bool wants_items_of_one_size(Collective collective) {
    return collective == Collective::allgatherv;
}
inline bool wants_basic_items(Collective collective, std::int64_t block_bytes) {
    return !is_open_mpi && collective == Collective::allgatherv && block_bytes > 4096;
}

// On one rank, Open MPI 4.1's alltoallw multiplies displacements by extents, and MPICH 4.0.2's
// allgatherv ignores them.
inline bool ignores_displacements(Collective collective, const Member& member) {
    return member.ranks == 1 && !member.is_inter &&
           (collective == Collective::alltoallw || collective == Collective::allgatherv);
}

// In Open MPI a rank without any data leaves MPI_Ialltoallv at once, and its next nonblocking collective
// meets the others' of before.
inline bool cannot_start_empty(Collective collective) {
    return is_open_mpi && collective == Collective::alltoallv;
}

// Open MPI 4.1's ends with a signal where it is done at once.
inline bool cannot_start(Collective collective) {
    return is_open_mpi && collective == Collective::alltoallw;
}

// In MPICH 4.0 its messages are taken for those of a blocking collective.
inline constexpr bool can_start_in_place = is_open_mpi;

// Between groups, Open MPI 4.1's allgather passes blocks on in types whose items do not begin at their first
// byte, and loses bytes.
inline bool gathers_rows_alone(Collective collective, const Member& member) {
    return is_open_mpi && member.is_inter && gathers(collective);
}

// In MPICH 4.0 a message of a rank to itself may be taken for one of a collective's.
inline constexpr bool has_messages_to_itself = is_open_mpi;

// Bytes are lost where a fragment of a message ends inside an item: of elements of several sizes in MPICH
// 4.0.2 from 8 KiB on, of small ones at several MiB; in Open MPI 4.1.4 of either at 128 KiB.
inline std::int64_t most_block_bytes(const Signature& signature) {
    return signature.is_uniform ? INT64_MAX : 512;
}

inline bool must_lie_in_a_row(const Signature& signature, std::int64_t side_bytes) {
    return signature.is_uniform && !signature.sizes.empty() && signature.sizes.front() < 4 &&
           side_bytes > 65536;
}

// While other threads make communicators, Open MPI 4.1.4's MPI_Intercomm_create may wait for ever in the
// choice of a number.
inline bool may_make_between(std::int64_t threads) {
    return !is_open_mpi || threads == 1;
}

// Open MPI 4.1 opens what it needs for topologies at the first of them, and two threads open it at once.
inline void open_topologies() {
    if (!is_open_mpi) return;
    const int one = 1, is_periodic = 0;
    MPI_Comm comm;
    MPI_Cart_create(MPI_COMM_SELF, 1, &one, &is_periodic, 0, &comm);
    MPI_Comm_free(&comm);
}

} // namespace stress::own_faults
