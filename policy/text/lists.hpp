// Lists and counts in sentences.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace switchyard::text {

// `joined({"a", "b"}, "; ")` is `a; b`.
template <typename Words>
std::string joined(const Words& words, std::string_view between = ", ") {
    std::string out;
    for (const auto& word : words) {
        if (&word != &*std::begin(words)) out += between;
        out += word;
    }
    return out;
}

// `a`, `a and b`, `a, b and c`
template <typename Words>
std::string enumerated(const Words& words, std::string_view conjunction = "and") {
    std::string out;
    for (std::size_t i = 0; i < std::size(words); ++i) {
        if (i > 0) out += i + 1 == std::size(words) ? ' ' + std::string(conjunction) + ' ' : ", ";
        out += words[i];
    }
    return out;
}

// `1 call`, `2 calls`
std::string plural(std::uint64_t count, std::string_view what);

} // namespace switchyard::text
