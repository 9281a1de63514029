// A policy from lessons.
#pragma once

#include "lesson.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::adaptive {

// The run that learned them, for `because`.
struct Circumstances {
    std::string program, started, mpi_library;
};

// One rule for each lesson in which a candidate beat native, for communicators of exactly the same ranks and
// nodes; otherwise native. Lessons with the same winner and adjacent blocks share a rule. `lessons` are
// sorted by subject. The policy is valid, whatever the lessons say. May throw.
std::string learned_policy(const std::vector<Lesson>& lessons, const Circumstances& where);

} // namespace switchyard::shim::adaptive
