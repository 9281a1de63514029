// Texts with values in them, from fmt's format strings. fmt's own code is compiled once, in formatted.cpp: in
// every file it would take the compiler five seconds.
#pragma once

#include "policy/text/lists.hpp"

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace switchyard::shim {

std::string formatted_args(fmt::string_view text, fmt::format_args values);

// `formatted("{} of {}", 1, 2)`. Mistakes in the format are found while compiling.
template <typename... Values>
std::string formatted(fmt::format_string<Values...> text, Values&&... values) {
    return formatted_args(text, fmt::make_format_args(values...));
}

// As `{}` does: the shortest text that stands for this number.
void append_number(std::string& text, double number);

using text::joined;

} // namespace switchyard::shim
