#include "units.hpp"

#include "formatted.hpp"
#include "policy/text/printable.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace switchyard::shim {

namespace {

bool starts_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

} // namespace

std::string time_text(double us) {
    if (us < 999.95) return formatted("{:.1f} us", us);
    if (us < 999.95e3) return formatted("{:.1f} ms", us * 1e-3);
    return formatted("{:.2f} s", us * 1e-6);
}

std::string short_time_text(double us) {
    const double value = us < 1 ? us * 1e3 : us < 999.5 ? us : us < 999.5e3 ? us / 1e3 : us / 1e6;
    const char* unit = us < 1 ? "ns" : us < 999.5 ? "us" : us < 999.5e3 ? "ms" : "s";
    return formatted("{:.{}f} {}", value, value < 9.95 ? 1 : 0, unit);
}

std::string size_text(double bytes) {
    constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
    const bool whole = bytes == std::floor(bytes);
    return formatted("{:.{}f} {}", bytes, whole ? 0 : 1, units[unit]);
}

std::string block_text(unsigned block_bits) {
    return size_text(std::ldexp(1.0, static_cast<int>(block_bits)));
}

std::string count_text(std::uint64_t count) {
    std::string text = std::to_string(count);
    for (auto place = static_cast<std::ptrdiff_t>(text.size()) - 3; place > 0; place -= 3)
        text.insert(static_cast<std::size_t>(place), 1, ',');
    return text;
}

std::string share_text(double part, double of_whole) {
    return of_whole > 0 ? formatted("{:.1f}%", 100 * part / of_whole) : "-";
}

std::string shown(std::string_view text, std::size_t longest) {
    std::string whole = text::printable(text, text.size());
    if (width_of(whole) <= longest) return whole;
    return whole.substr(0, bytes_of(whole, longest - 3)) + "...";
}

std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

std::size_t bytes_of(std::string_view text, std::size_t columns) {
    std::size_t end = 0;
    for (std::size_t width = 0; end < text.size(); ++end)
        if (starts_character(text[end]) && ++width > columns) break;
    return end;
}

} // namespace switchyard::shim
