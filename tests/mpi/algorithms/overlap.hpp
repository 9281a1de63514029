// Exchanges in place: one buffer for both sides. Blocks of one side lie in every way over
// blocks of the other side.
#pragma once

#include "algorithms/algorithm.hpp"

#include <functional>
#include <mpi.h>
#include <string>

namespace switchyard::tests {

// Hears of each check: its result, the case, and the name of the check.
using Report = std::function<void(bool good, const std::string& place, const std::string& what)>;

// Some hundreds of cases for an algorithm that takes overlap, compared with the MPI library's alltoallv from
// a copy of the buffer. The whole buffer is compared, so no byte outside receive blocks may change.
void check_overlap(const algorithms::Traits& traits, const algorithms::Group& group, MPI_Comm oracle,
                   bool reduced, const Report& report);

} // namespace switchyard::tests
