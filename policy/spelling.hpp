// The user's words in messages: quoted, cut to a readable length, and harmless to a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::policy {

// Escapes control characters, and cuts after `longest` bytes. `ascii`: also escapes bytes beyond ASCII, for text that
// may not be UTF-8.
std::string printable(std::string_view text, std::size_t longest, bool ascii = false);

std::string in_quotes(std::string_view text);

// `a, b, c`
std::string listed(const std::vector<std::string_view>& words);

// `2 to 32`
std::string between(std::uint64_t smallest, std::uint64_t largest);

} // namespace switchyard::policy
