// Which ranks share a node with this rank.
#pragma once

#include <mpi.h>

namespace switchyard::shim {

// A communicator of the ranks of `comm` that run on this rank's node, in the order of `comm`. MPI_COMM_NULL after an error.
// Collective over `comm`.
MPI_Comm ranks_of_node(MPI_Comm comm);

} // namespace switchyard::shim
