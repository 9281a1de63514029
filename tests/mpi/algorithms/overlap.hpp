// Exchanges in place: one buffer for both sides, blocks of one lying in every way over blocks of the other.
#pragma once

#include "algorithms/algorithm.hpp"

#include <functional>
#include <string>

namespace switchyard::tests {

// What is reported of each check: whether it went well, in which case, and what was looked at.
using Report = std::function<void(bool good, const std::string& place, const std::string& what)>;

// Some hundreds of cases for an algorithm that takes overlap, against the MPI library's alltoallv from a copy
// of the buffer. The whole buffer is compared, so also that nothing outside receive blocks is written.
void check_overlap(const algorithms::Traits& traits, const algorithms::Group& group, MPI_Comm oracle,
                   bool reduced, const Report& report);

} // namespace switchyard::tests
