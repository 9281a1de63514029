// Colours that people with any kind of colour vision can tell apart. Colours that stand for values also work
// on a grey printer.
#pragma once

#include <string>
#include <string_view>

namespace switchyard::shim::report {

// Neutral colours. In a page each has another value in the dark (page/page.css).
inline constexpr std::string_view ink = "#1b1f24", muted = "#5b6570", rule_line = "#dde3e9",
                                  nothing = "#eef1f4", text_ink = "#3d4650";

// Six of Okabe and Ito's eight colours, which show on white; further series are grey.
inline constexpr std::size_t series_colours = 6;
std::string_view series_colour(std::size_t series);
// A character, so that series differ by more than colour.
std::string_view series_mark(std::size_t series);

// From dark violet (0) over green to yellow (1); larger values are lighter.
std::string ramp(double value);
// A colour for text on ramp(value).
std::string_view ink_on_ramp(double value);

// From blue (-1) over white to orange (1).
std::string two_sided_ramp(double value);

// A mixture of white (strength 0) and the colour (strength 1).
std::string tint(std::string_view colour, double strength);

} // namespace switchyard::shim::report
