// A communicator as one of its ranks sees it.
#pragma once

#include <cstdint>
#include <mpi.h>

namespace stress {

struct Member {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    int ranks = 0;  // of its own group
    int others = 0; // ranks that it exchanges blocks with: the remote group's, or its own group's
    int side = 0;   // its group of an intercommunicator, else 0
    bool is_inter = false;
    bool is_logged = true; // false: it has processes of another job, and this one has threads
    std::uint64_t key = 0; // the same on all ranks of the communicator: seeds what they draw together

    explicit operator bool() const { return comm != MPI_COMM_NULL; }
    int other_side() const { return is_inter ? 1 - side : side; }
    // A call of the whole communicator is one line of a log: its rank 0 counts it.
    bool counts() const { return is_logged && rank == 0 && side == 0; }
};

} // namespace stress
