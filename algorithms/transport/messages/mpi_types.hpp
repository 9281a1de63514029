// MPI's own types, and what stands for them in files that know no MPI.
#pragma once

#include "algorithms/comm.hpp"
#include "algorithms/status.hpp"

#include <cstring>
#include <mpi.h>

namespace switchyard::algorithms {

static_assert(sizeof(MPI_Comm) <= sizeof(Comm::handle));
static_assert(MPI_SUCCESS == 0);

inline Comm comm_of(MPI_Comm handle) {
    Comm comm;
    if (handle != MPI_COMM_NULL) std::memcpy(&comm.handle, &handle, sizeof handle);
    return comm;
}
inline MPI_Comm mpi_of(Comm comm) {
    MPI_Comm handle = MPI_COMM_NULL;
    if (comm) std::memcpy(&handle, &comm.handle, sizeof handle);
    return handle;
}

inline int mpi_code_of(Status status) {
    if (status.code >= 0) return status.code;
    switch (static_cast<Fault>(status.code)) {
    case Fault::truncated: return MPI_ERR_TRUNCATE;
    case Fault::no_memory: return MPI_ERR_NO_MEM;
    case Fault::unordered: return MPI_ERR_BUFFER;
    case Fault::lost: break;
    }
    return MPI_ERR_OTHER;
}

} // namespace switchyard::algorithms
