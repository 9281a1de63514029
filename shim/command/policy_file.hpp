// Reads a policy from its file and prints its problems.
#pragma once

#include "policy/table.hpp"

#include <filesystem>
#include <optional>

namespace switchyard::shim::command {

// Prints `FILE:4: /rules/0/use/radix (rule 1): message` to stderr for each problem. Returns
// nothing if there is any.
std::optional<policy::Policy> read_policy(const std::filesystem::path& file);

} // namespace switchyard::shim::command
