#include "spelling.hpp"
#include "parse.hpp"
#include "synonyms.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace switchyard::policy {

namespace {

constexpr std::size_t longest_quoted = 60;
constexpr std::size_t longest_compared = 64;

// The number of letters that are inserted, left out, changed or swapped with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const bool same = fold(a[i]) == fold(b[j]);
            row[j + 1] = std::min({last[j + 1] + 1, row[j] + 1, last[j] + (same ? 0U : 1U)});
            if (i > 0 && j > 0 && fold(a[i]) == fold(b[j - 1]) && fold(a[i - 1]) == fold(b[j]))
                row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
        }
        before_last.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

std::string suggested(std::string_view word) {
    return ", did you mean \"" + std::string(word) + "\"?";
}

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

// Longer than it has to be, half of a pair of UTF-16, or beyond Unicode.
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

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
    if (word.empty() || word.size() > longest_compared) return "";
    std::string_view best = synonym_in(word, known);
    if (!best.empty()) return suggested(best);
    std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string_view candidate : known) {
        const std::size_t d = distance(word, candidate);
        if (d < best_distance && d < candidate.size()) {
            best = candidate;
            best_distance = d;
        }
    }
    return best.empty() ? "" : suggested(best);
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

std::string in_quotes(std::string_view text) {
    return '"' + printable(text, longest_quoted) + '"';
}

std::string listed(const std::vector<std::string_view>& words) {
    std::string out;
    for (const std::string_view word : words) {
        out += out.empty() ? "" : ", ";
        out += word;
    }
    return out;
}

char fold(char c) {
    return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string enumerated(const std::vector<std::string>& items) {
    std::string out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) out += i + 1 == items.size() ? " and " : ", ";
        out += items[i];
    }
    return out;
}

std::string between(std::uint64_t smallest, std::uint64_t largest) {
    return std::to_string(smallest) + " to " + std::to_string(largest);
}

} // namespace switchyard::policy
