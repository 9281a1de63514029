// Texts of all ranks, at rank 0.
#pragma once

#include <mpi.h>
#include <string>
#include <vector>

namespace switchyard::shim {

// `texts` on rank 0: one for each rank, in the order of ranks. False on rank 0: it had no memory for them.
// Collective; the other ranks do not wait.
bool gather_texts(const std::string& text, MPI_Comm comm, std::vector<std::string>& texts) noexcept;

} // namespace switchyard::shim
