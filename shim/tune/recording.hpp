// The calls of a program to tune: recorded once, and found again when the same command continues.
#pragma once

#include "rounds.hpp"

#include <filesystem>
#include <ostream>

namespace switchyard::shim::tune {

// Whether `folder` has the recorded run of this program under this launcher. Throws std::runtime_error if it
// has the run of another program or launcher, whose measurements would not fit.
bool is_recorded(const Program& program, const std::filesystem::path& folder);

// The log of the recorded run in `folder`; makes the run if there is none, and says so. Throws like `record`.
std::filesystem::path recorded(const Program& program, const std::filesystem::path& folder,
                               std::ostream& notes);

} // namespace switchyard::shim::tune
