// The calls of a program that is to be tuned: recorded once, and found again when the same command goes on.
#pragma once

#include "rounds.hpp"

#include <filesystem>
#include <ostream>

namespace switchyard::shim::tune {

// Whether `folder` has the recorded run of this program under this launcher. Throws std::runtime_error where
// it has the run of another: its measurements would not fit.
bool is_recorded(const Program& program, const std::filesystem::path& folder);

// The log of the recorded run in `folder`; makes that run where there is none, and says so. Throws like
// `record`.
std::filesystem::path recorded(const Program& program, const std::filesystem::path& folder,
                               std::ostream& notes);

} // namespace switchyard::shim::tune
