// What ranks tell each other for our own purposes, apart from the program's blocks. The messages are small,
// however many ranks there are and however much there is to tell.
//
// A system may forbid processes of a node to read each other's memory: for programs that users may run but
// not read, in containers, by a setting. MPIs still try it with long messages. Then Open MPI complains about
// each message of 4 KiB, and UCX, below MPICH, ends the job at a message of more than 8 KiB. A program with
// short messages runs there, and must also run with us.
#pragma once

#include "algorithms/comm.hpp"

#include <cstddef>

namespace switchyard::algorithms {

// Together with what an MPI writes before it, a message stays below 4 KiB.
inline constexpr std::size_t largest_own_message = 4000;

// Gather the same number of bytes from each rank, in the order of ranks: on rank 0 (`all` is null elsewhere,
// and where rank 0 has no room), or on all ranks. MPI's own gathers send the bytes of many ranks in one
// message. Collective. Return MPI's code.
int gather(const void* mine, std::size_t bytes, void* all, Comm comm);
int gather_everywhere(const void* mine, std::size_t bytes, void* all, Comm comm);

} // namespace switchyard::algorithms
