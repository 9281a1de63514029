// A policy's text from its file.
#pragma once

#include "parse.hpp"
#include "text/result.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace switchyard::policy {

// Never throws. Returns a problem if the file is missing, cannot be read, or is larger than
// largest_policy_bytes; no more bytes are read.
text::Result<std::string, Problem> read_file(const std::filesystem::path& path);

// `my.policy.json:4: /rules/0/use/radix (rule 1): message`. Editors and terminals open
// `my.policy.json:4` at that line.
std::string told(std::string_view file, const Problem& problem);

} // namespace switchyard::policy
