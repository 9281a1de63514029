// Colours that people with any kind of colour vision can tell apart, and that survive a grey printer where a
// value matters.
#pragma once

#include <string>
#include <string_view>

namespace switchyard::shim::report {

inline constexpr std::string_view ink = "#1b1f24", muted = "#5b6570", rule_line = "#dde3e9",
                                  nothing = "#eef1f4";

// Of Okabe and Ito's eight, those that show on white; then grey for all the rest.
inline constexpr std::size_t series_colours = 6;
std::string_view series_colour(std::size_t series);

// From dark violet (0) over green to yellow (1): light grows with the value, too.
std::string ramp(double value);
// What can be read on that colour.
std::string_view ink_on_ramp(double value);

// From blue (-1) over white to orange (1).
std::string two_sided_ramp(double value);

// That colour on white, as far as `strength` (0 to 1) goes.
std::string tint(std::string_view colour, double strength);

} // namespace switchyard::shim::report
