// Colours that people with any kind of colour vision can tell apart.
#pragma once

#include <cstddef>
#include <string_view>

namespace switchyard::shim::report {

// Four of Okabe and Ito's eight colours; the other four are too pale for white or too dark for a dark sheet, so two
// more that have a contrast of 3 to 1 with both. Further series are grey.
inline constexpr std::size_t series_colours = 6;
std::string_view series_colour(std::size_t series);
// A character, so that series differ by more than colour.
std::string_view series_mark(std::size_t series);

} // namespace switchyard::shim::report
