#include "spelling.hpp"
#include "parse.hpp"
#include "synonyms.hpp"
#include "text/printable.hpp"

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

} // namespace

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

std::string in_quotes(std::string_view text) {
    return '"' + text::printable(text, longest_quoted) + '"';
}

char fold(char c) {
    return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string between(std::uint64_t smallest, std::uint64_t largest) {
    return std::to_string(smallest) + " to " + std::to_string(largest);
}

} // namespace switchyard::policy
