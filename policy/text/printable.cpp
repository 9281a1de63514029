#include "printable.hpp"

#include <algorithm>
#include <cstdint>

namespace switchyard::text {

namespace {

bool continues_a_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

void append_escaped(std::string& out, unsigned char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += "\\x";
    out += digits[c >> 4U];
    out += digits[c & 15U];
}

// Bytes of the character that begins with `lead`, by UTF-8; 0: none does.
std::size_t length_by_lead(unsigned char lead) {
    return lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
}

std::uint32_t code_of(std::string_view character) {
    const auto lead = static_cast<unsigned char>(character.front());
    std::uint32_t code = character.size() == 1 ? lead : lead & (0x7FU >> character.size());
    for (const char c : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
    return code;
}

bool is_in(std::uint32_t code, std::uint32_t first, std::uint32_t last) {
    return first <= code && code <= last;
}

// Control characters; marks of direction, which let a text look like another one; and line separators.
bool controls(std::uint32_t code) {
    return code < 0x20 || is_in(code, 0x7F, 0x9F) || code == 0x61C || is_in(code, 0x200E, 0x200F) ||
           is_in(code, 0x2028, 0x202E) || is_in(code, 0x2066, 0x2069) || code == 0xFEFF;
}

// Longer than necessary, half of a UTF-16 pair, or beyond Unicode.
bool is_misspelt(std::uint32_t code, std::size_t bytes) {
    return (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000) || is_in(code, 0xD800, 0xDFFF) ||
           code > 0x10FFFF;
}

} // namespace

Character first_character(std::string_view text) {
    const std::size_t bytes = length_by_lead(static_cast<unsigned char>(text.front()));
    if (bytes == 0 || bytes > text.size() ||
        !std::ranges::all_of(text.substr(1, bytes - 1), continues_a_character))
        return {1, false};
    const std::uint32_t code = code_of(text.substr(0, bytes));
    if (is_misspelt(code, bytes)) return {1, false};
    return {bytes, !controls(code)};
}

std::string printable(std::string_view text, std::size_t longest, bool ascii) {
    std::size_t length = std::min(text.size(), longest);
    while (length > 0 && length < text.size() && continues_a_character(text[length])) --length;
    std::string out;
    for (std::string_view rest = text.substr(0, length); !rest.empty();) {
        const auto [bytes, is_harmless] = first_character(rest);
        const auto character = rest.substr(0, bytes);
        if (is_harmless && !(ascii && bytes > 1))
            out += character;
        else
            for (const char c : character) append_escaped(out, static_cast<unsigned char>(c));
        rest.remove_prefix(bytes);
    }
    return length < text.size() ? out + "..." : out;
}

std::string first_line(std::string_view text) {
    std::string line;
    for (const char letter : text.substr(0, text.find_first_of("\r\n"))) {
        const auto code = static_cast<unsigned char>(letter);
        const bool is_blank = code <= ' ' || code == 0x7F;
        if (!is_blank) line += letter;
        if (is_blank && !line.empty() && !line.ends_with(' ')) line += ' ';
    }
    if (line.ends_with(' ')) line.pop_back();
    return line;
}

} // namespace switchyard::text
