// The life of a run: how it starts and how it ends.
#pragma once

#include "shim/entry/abi.hpp"

namespace switchyard::shim {

// Right after MPI_Init. Collective over MPI_COMM_WORLD: all ranks start, or none does. The run ends when MPI
// frees MPI_COMM_SELF's attributes, at the start of MPI_Finalize: then the log is merged. Never throws.
void start_with_world(const LoadedMpi& loaded) noexcept;

// At the first call of a program whose MPI_Init was not seen (sessions): this rank starts
// by itself. Never throws.
void start_alone(const LoadedMpi& loaded) noexcept;

} // namespace switchyard::shim
