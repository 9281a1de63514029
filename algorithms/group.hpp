// The ranks of an exchange, over a communicator of our own on which no message of the application ever
// travels.
#pragma once

#include <mpi.h>

namespace switchyard::algorithms {

struct Group {
    MPI_Comm comm = MPI_COMM_NULL; // private; its error handler returns
    int rank = 0;
    int size = 1;

    // The rank `distance` places up or down the ring; 0 <= distance <= size.
    int up(int distance) const { return rank + distance < size ? rank + distance : rank + distance - size; }
    int down(int distance) const { return rank >= distance ? rank - distance : rank - distance + size; }
};

} // namespace switchyard::algorithms
