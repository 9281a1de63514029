// The user's words in messages: quoted and compared.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::policy {

// Cut to a readable length, and harmless to a terminal (policy/text/printable.hpp).
std::string in_quotes(std::string_view text);

// For comparing words: `-` counts as `_`, and a capital as a small letter.
char fold(char c);

// `2 to 32`
std::string between(std::uint64_t smallest, std::uint64_t largest);

} // namespace switchyard::policy
