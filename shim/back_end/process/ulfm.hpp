// User-level failure mitigation: with it, a program may go on after one of its processes has died (mpirun
// --with-ft ulfm).
#pragma once

#include <mpi.h>

namespace switchyard::shim {

// The functions of the loaded MPI. We are built with headers that may not have them.
struct Ulfm {
    int (*is_revoked)(MPI_Comm, int*);
    int (*revoke)(MPI_Comm);
    int (*failed)(MPI_Comm, MPI_Group*);
    int (*agree)(MPI_Comm, int*); // the bits that all living ranks have

    // As far as this rank knows.
    bool is_revoked_here(MPI_Comm comm) const;
    bool has_dead(MPI_Comm comm) const;
    // Revoked, or with a dead rank: its collectives fail from now on.
    bool is_given_up(MPI_Comm comm) const { return is_revoked_here(comm) || has_dead(comm); }
    // The same on all living ranks; collective over them.
    bool all_know_no_dead(MPI_Comm comm) const;
};

// The MPI's functions; null if this MPI ends a job when a process dies.
const Ulfm* ulfm_of_mpi();

} // namespace switchyard::shim
