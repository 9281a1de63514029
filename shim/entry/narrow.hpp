// Large counts for an MPI that has none. libswitchyard.so exports `MPI_X_c` for every MPI, and a program that
// finds the name may call it.
#pragma once

#include "abi.hpp"

namespace switchyard::shim {

// If `loaded` has no `X_c`, puts a function there that calls `X`. It answers MPI_ERR_COUNT, through the
// communicator's error handler, if a count or a displacement does not fit an int. `mpi`: the MPI's handle for
// dlsym. `loaded` must stay where it is.
void narrow_large_counts(LoadedMpi& loaded, void* mpi);

} // namespace switchyard::shim
