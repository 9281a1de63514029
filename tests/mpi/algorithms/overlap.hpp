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
// a copy of the buffer. The whole buffer is compared, so no byte outside receive blocks may change. few_phases:
// only some cases with memory for all that arrives too early. With little memory a case takes tens of phases, in
// each of which all ranks send to all others: minutes for hundreds of simulated ranks.
enum class OverlapCases { all, reduced, few_phases };
void check_overlap(const algorithms::Traits& traits, const algorithms::Group& group, MPI_Comm oracle,
                   OverlapCases cases, const Report& report);

} // namespace switchyard::tests
