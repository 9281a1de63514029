#include "palette.hpp"

#include "shim/common/formatted.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace switchyard::shim::report {

namespace {

using Colour = std::array<double, 3>;

// Eleven points of the ramp known as viridis.
constexpr std::array<Colour, 11> ramp_points = {{{68, 1, 84},
                                                 {72, 36, 117},
                                                 {65, 68, 135},
                                                 {53, 95, 141},
                                                 {42, 120, 142},
                                                 {33, 145, 140},
                                                 {34, 168, 132},
                                                 {68, 191, 112},
                                                 {122, 209, 81},
                                                 {189, 223, 38},
                                                 {253, 231, 37}}};
constexpr Colour white = {255, 255, 255}, blue = {0, 114, 178}, orange = {213, 94, 0};

Colour between(const Colour& from, const Colour& to, double share) {
    Colour colour;
    for (std::size_t i = 0; i < 3; ++i) colour[i] = from[i] + (to[i] - from[i]) * share;
    return colour;
}

std::string hex(const Colour& colour) {
    const auto part = [](double value) {
        return static_cast<int>(std::lround(std::clamp(value, 0.0, 255.0)));
    };
    return formatted("#{:02x}{:02x}{:02x}", part(colour[0]), part(colour[1]), part(colour[2]));
}

Colour colour_of(std::string_view text) {
    unsigned value = 0;
    std::from_chars(text.data() + 1, text.data() + text.size(), value, 16);
    return {static_cast<double>(value >> 16U), static_cast<double>(value >> 8U & 255U),
            static_cast<double>(value & 255U)};
}

Colour at_ramp(double value) {
    const double place = std::clamp(std::isfinite(value) ? value : 0.0, 0.0, 1.0) * (ramp_points.size() - 1);
    const auto index = std::min(static_cast<std::size_t>(place), ramp_points.size() - 2);
    return between(ramp_points[index], ramp_points[index + 1], place - static_cast<double>(index));
}

} // namespace

std::string_view series_colour(std::size_t series) {
    constexpr std::array colours = {std::string_view{"#0072b2"}, std::string_view{"#d55e00"},
                                    std::string_view{"#009e73"}, std::string_view{"#cc79a7"},
                                    std::string_view{"#e69f00"}, std::string_view{"#56b4e9"}};
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

std::string ramp(double value) {
    return hex(at_ramp(value));
}

std::string_view ink_on_ramp(double value) {
    const auto colour = at_ramp(value);
    return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2] > 135 ? "#111418" : "#ffffff";
}

std::string two_sided_ramp(double value) {
    const double share = std::clamp(std::isfinite(value) ? value : 0.0, -1.0, 1.0);
    return hex(between(white, share < 0 ? blue : orange, std::abs(share)));
}

std::string tint(std::string_view colour, double strength) {
    return hex(between(white, colour_of(colour), strength));
}

} // namespace switchyard::shim::report
