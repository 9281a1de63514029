#include "palette.hpp"

#include <array>

namespace switchyard::shim::report {

std::string_view series_colour(std::size_t series) {
    constexpr std::array colours = {std::string_view{"#0072b2"}, std::string_view{"#d55e00"},
                                    std::string_view{"#009e73"}, std::string_view{"#cc79a7"},
                                    std::string_view{"#9c30f0"}, std::string_view{"#d8003c"}};
    static_assert(colours.size() == series_colours);
    return series < colours.size() ? colours[series] : "#8a939c";
}

std::string_view series_mark(std::size_t series) {
    constexpr std::array marks = {std::string_view{"\u25cf"}, std::string_view{"\u25a0"},
                                  std::string_view{"\u25b2"}, std::string_view{"\u25c6"},
                                  std::string_view{"\u25bc"}, std::string_view{"\u2605"}};
    static_assert(marks.size() == series_colours);
    return series < marks.size() ? marks[series] : "\u271a";
}

} // namespace switchyard::shim::report
