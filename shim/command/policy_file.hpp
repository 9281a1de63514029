// A policy from its file, with its problems printed.
#pragma once

#include "policy/table.hpp"

#include <filesystem>
#include <optional>

namespace switchyard::shim::command {

// Prints `FILE: /rules/0/use/radix: message` to stderr for each problem; nothing where there is any.
std::optional<policy::Policy> read_policy(const std::filesystem::path& file);

} // namespace switchyard::shim::command
