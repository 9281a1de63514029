// The policy that is made of what was learned.
#pragma once

#include "lesson.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::adaptive {

// Where it was learned, for `because`.
struct Circumstances {
    std::string program, started, mpi_library;
};

// A policy of one rule for each lesson in which something beat native (blocks that follow each other and have the
// same winner make one rule), for communicators of exactly those ranks and nodes; otherwise native. `lessons` by
// subject. What it returns is valid, whatever the lessons say. May throw.
std::string learned_policy(const std::vector<Lesson>& lessons, const Circumstances& where);

} // namespace switchyard::shim::adaptive
