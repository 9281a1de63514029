// A policy's text from its file.
#pragma once

#include "parse.hpp"

#include <filesystem>
#include <string>
#include <variant>

namespace switchyard::policy {

// Never throws. A problem where the file is missing, cannot be read, or is larger than largest_policy_bytes; no more
// than that is read.
std::variant<std::string, Problem> read_file(const std::filesystem::path& path);

} // namespace switchyard::policy
