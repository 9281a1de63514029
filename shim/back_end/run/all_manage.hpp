// Work that each rank does by itself before all go on together.
#pragma once

#include "algorithms/transport/messages/mpi_types.hpp"
#include "algorithms/transport/messages/votes.hpp"

#include <mpi.h>
#include <new>

namespace switchyard::shim {

// Whether `work` threw nothing on this rank.
template <typename Work>
bool manages(const Work& work) noexcept {
    try {
        work();
        return true;
    } catch (...) { // the vote tells the other ranks
        return false;
    }
}

// True on all ranks if `work` threw on none of them; false on all ranks otherwise. So nobody waits for a
// message of a rank that had no memory left. Collective.
template <typename Work>
bool all_manage(MPI_Comm comm, const Work& work) {
    return algorithms::all_agree(manages(work), algorithms::comm_of(comm));
}

// The same for a caller that gives up as a whole: throws on all ranks or on none. A process
// without a world is alone.
template <typename Work>
void manage_together(MPI_Comm comm, const Work& work) {
    if (comm == MPI_COMM_NULL)
        work();
    else if (!all_manage(comm, work))
        throw std::bad_alloc();
}

} // namespace switchyard::shim
