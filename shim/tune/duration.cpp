#include "duration.hpp"

#include <charconv>
#include <cmath>

namespace switchyard::shim::tune {

namespace {

double seconds_in(char unit) {
    switch (unit) {
    case 'h': return 3600;
    case 'm': return 60;
    case 's': return 1;
    default: return 0;
    }
}

} // namespace

std::optional<double> parse_duration(std::string_view text) {
    double seconds = 0, last_unit = 86400; // units get smaller, so each appears once
    if (text.empty()) return std::nullopt;
    while (!text.empty()) {
        double number = 0;
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
        if (error != std::errc{} || end == text.data() + text.size()) return std::nullopt;
        const double unit = seconds_in(*end);
        if (unit == 0 || unit >= last_unit || !(number >= 0) || std::isinf(number)) return std::nullopt;
        seconds += number * unit;
        last_unit = unit;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
    }
    constexpr double a_year = 365.0 * 24 * 3600;
    return seconds > 0 && seconds <= a_year ? std::optional(seconds) : std::nullopt;
}

std::string duration_text(double seconds) {
    const auto whole = static_cast<long>(std::ceil(seconds));
    if (whole >= 3600)
        return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
    if (whole >= 60) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    return std::to_string(whole) + " s";
}

} // namespace switchyard::shim::tune
