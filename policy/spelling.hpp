// The user's words in messages: quoted, cut to a readable length, and harmless to a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::policy {

// The first character of a text that is not empty. A harmless character does nothing but show: it is no control
// character, no mark that turns the direction of writing, and valid UTF-8.
struct Character {
    std::size_t bytes;
    bool is_harmless;
};
Character first_character(std::string_view text);

// Escapes characters that are not harmless, and cuts after `longest` bytes. `ascii`: also escapes bytes beyond ASCII.
std::string printable(std::string_view text, std::size_t longest, bool ascii = false);

// The first line, with one space for any number of blanks and control characters: an MPI's name for itself is many lines,
// with tabs.
std::string first_line(std::string_view text);

std::string in_quotes(std::string_view text);

// `a, b, c`
std::string listed(const std::vector<std::string_view>& words);

// `a, b and c`
std::string enumerated(const std::vector<std::string>& items);

// As words are compared: `-` is `_`, and a capital is small.
char fold(char c);

// `2 to 32`
std::string between(std::uint64_t smallest, std::uint64_t largest);

} // namespace switchyard::policy
