#include "formatted.hpp"

#include <fmt/format.h>

namespace switchyard::shim {

std::string formatted_args(fmt::string_view text, fmt::format_args values) {
    return fmt::vformat(text, values);
}

} // namespace switchyard::shim
