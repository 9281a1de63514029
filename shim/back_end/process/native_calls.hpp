// Who runs the MPI library's own collectives in this process.
#pragma once

#include "shim/common/native_facts.hpp"
#include "shim/entry/abi.hpp"

namespace switchyard::shim {

// What can be known without MPI_T. With Open MPI 4.1.4 the first MPI_T_init_thread takes 200 ms. MPICH 4.0.2
// crashes after a second one if MPI_T_finalize came in between, so a program with MPI_T would crash by ours.
// Asks the loader, so only at the start. May throw.
NativeFacts facts_of_native_calls(const LoadedMpi& loaded);

} // namespace switchyard::shim
