// Waits at the end of the run that leave the core free. While rank 0 writes the log, all other ranks wait and
// may share its core: a rank that polls takes the core from rank 0.
#pragma once

#include "algorithms/transport/messages/small_messages.hpp"

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <span>

namespace switchyard::shim {

// As MPI_Wait.
int wait_quietly(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE) noexcept;

// The sums of all ranks, in place, of at most most_numbers numbers. Collective. False: an error.
inline constexpr std::size_t most_numbers = algorithms::largest_own_message / sizeof(std::uint64_t);
bool add_up_quietly(std::span<std::uint64_t> numbers, MPI_Comm comm) noexcept;

// Rank 0's number, on all ranks. Collective.
int hear_quietly(int number, MPI_Comm comm) noexcept;

} // namespace switchyard::shim
