// MPI's own types, and what stands for them in files that know no MPI.
#pragma once

#include "algorithms/comm.hpp"
#include "algorithms/status.hpp"
#include "under_way.hpp"

#include <cstring>
#include <mpi.h>
#include <new>

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

inline MPI_Request* requests_of(UnderWay& messages) {
    return std::launder(reinterpret_cast<MPI_Request*>(messages.requests()));
}
// The first that is not under way.
inline MPI_Request* next_request(UnderWay& messages) {
    return requests_of(messages) + messages.count();
}

} // namespace switchyard::algorithms
