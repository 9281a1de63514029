#include "formatted.hpp"

#include <fmt/format.h>

namespace switchyard::shim {

std::string formatted_args(fmt::string_view text, fmt::format_args values) {
    return fmt::vformat(text, values);
}

void append_number(std::string& text, double number) {
    char digits[32];
    text.append(digits, fmt::format_to(digits, "{}", number));
}

} // namespace switchyard::shim
