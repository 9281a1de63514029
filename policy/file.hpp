// A policy's text from its file.
#pragma once

#include "parse.hpp"

#include <filesystem>
#include <string>
#include <variant>

namespace switchyard::policy {

// Never throws. A problem where there is no file, it cannot be read, or it is larger than a policy may be;
// then no more than that is read of it.
std::variant<std::string, Problem> read_file(const std::filesystem::path& path);

} // namespace switchyard::policy
