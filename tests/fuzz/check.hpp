// What holds for every input. Where it does not, the process ends, and the fuzzer keeps the input.
#pragma once

#include "policy/text/printable.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace switchyard::fuzz {

inline void require(bool holds, std::string_view what) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: this does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
}

// The text may go to a terminal: no byte of an input changes it.
inline void require_harmless(std::string_view text) {
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        require(text::printable(line, line.size()) == line, "a text changes no terminal");
        text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
    }
}

// A message for people is one line.
inline void require_sentence(std::string_view message) {
    require(!message.empty(), "a message says something");
    require(text::printable(message, message.size()) == message, "a message is one printable line");
}

} // namespace switchyard::fuzz
