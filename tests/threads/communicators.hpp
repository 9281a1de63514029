// Communicators: each rank has an object of its own for each.
#pragma once

#include "ranks.hpp"

#include <mpi.h>

#include <cstdint>
#include <vector>

struct MPI_ABI_Comm {
    std::uint64_t context; // the next one is for its collectives
    std::vector<int> members;
    int rank;
};
struct MPI_ABI_Group {
    std::vector<int> members;
};

namespace switchyard::tests::threads {

const MPI_ABI_Comm& object_of(MPI_Comm comm);
inline int size_of(const MPI_ABI_Comm& comm) {
    return static_cast<int>(comm.members.size());
}

} // namespace switchyard::tests::threads
