// Texts of all ranks on one.
#pragma once

#include <mpi.h>
#include <string>
#include <vector>

namespace switchyard::shim {

// Every rank's text, by rank, on rank 0; nothing on the others. Collective. May throw.
std::vector<std::string> gather_texts(const std::string& text, MPI_Comm comm);

} // namespace switchyard::shim
