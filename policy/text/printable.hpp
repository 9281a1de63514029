// Texts that others wrote, made harmless to a terminal and to a file of lines. UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace switchyard::text {

// The first character of a text that is not empty. A harmless character only shows: it is valid UTF-8, and
// neither a control character nor a mark that turns the direction of writing.
struct Character {
    std::size_t bytes;
    bool is_harmless;
};
Character first_character(std::string_view text);

// Escapes characters that are not harmless, and cuts after `longest` bytes. `ascii`: also
// escapes bytes beyond ASCII.
std::string printable(std::string_view text, std::size_t longest, bool ascii = false);

// The first line, with one space for any number of blanks and control characters: an MPI library describes
// itself in many lines, with tabs.
std::string first_line(std::string_view text);

} // namespace switchyard::text
