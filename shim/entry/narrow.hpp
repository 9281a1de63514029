// Large counts for an MPI that has none. libswitchyard.so exports `MPI_X_c` for every MPI, and a program that
// finds the name may call it.
#pragma once

#include "abi.hpp"

namespace switchyard::shim {

// Where `loaded` has no `X_c`, puts a function there that calls `X`. It answers MPI_ERR_COUNT, by the
// communicator's error handler, where a count or a displacement does not fit an int. `mpi`: the MPI's handle
// for dlsym. `loaded` has to stay.
void narrow_large_counts(LoadedMpi& loaded, void* mpi);

} // namespace switchyard::shim
