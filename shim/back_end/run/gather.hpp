// Texts of all ranks, at rank 0.
#pragma once

#include <mpi.h>
#include <string>
#include <vector>

namespace switchyard::shim {

// `texts` on rank 0: one for each rank, in the order of ranks. False, on all ranks: some rank had no memory for it.
// Collective; never throws.
bool gather_texts(const std::string& text, MPI_Comm comm, std::vector<std::string>& texts);

} // namespace switchyard::shim
