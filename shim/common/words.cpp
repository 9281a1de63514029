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

} // namespace switchyard::shim
