#include "words.hpp"

#include "algorithms/collective.hpp"

#include <algorithm>

namespace switchyard::shim {

std::string in_words(std::span<const std::string_view> words, std::string_view conjunction) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool last = i + 1 == words.size();
        if (i > 0) text += last ? ' ' + std::string(conjunction) + ' ' : ", ";
        text += words[i];
    }
    return text;
}

std::string collectives_in_words(std::string_view conjunction) {
    return in_words(algorithms::collective_names, conjunction);
}

std::string functions_in_words(std::string_view conjunction) {
    std::array<std::string_view, algorithms::collective_count> functions;
    std::ranges::transform(algorithms::all_collectives, functions.begin(),
                           &algorithms::CollectiveTraits::function);
    return in_words(functions, conjunction);
}

std::string first_line(std::string_view text) {
    std::string line;
    for (const char letter : text.substr(0, text.find_first_of("\r\n"))) {
        const bool is_blank = letter == ' ' || letter == '\t';
        if (!is_blank) line += letter;
        if (is_blank && !line.ends_with(' ')) line += ' ';
    }
    return line;
}

} // namespace switchyard::shim
