// Waits at the end of the run that leave the core alone. While rank 0 writes the log all others wait for it,
// and may share its core: a rank that asks again and again takes that core from it.
#pragma once

#include "algorithms/transport/messages/small_messages.hpp"

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <span>

namespace switchyard::shim {

// As MPI_Wait.
int wait_quietly(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE) noexcept;

// The sums of all ranks, in place, at most so many. Collective. False: an error.
inline constexpr std::size_t most_numbers = algorithms::largest_own_message / sizeof(std::uint64_t);
bool add_up_quietly(std::span<std::uint64_t> numbers, MPI_Comm comm) noexcept;

// Rank 0's number, on all ranks. Collective.
int hear_quietly(int number, MPI_Comm comm) noexcept;

} // namespace switchyard::shim
