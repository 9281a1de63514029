// The timeline's data, for the library that draws it: JSON, read by page/page.js.
#pragma once

#include "series.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

// A longer log is shown by stretches of time.
inline constexpr std::size_t most_points = 4000;

// Each call's begin, time and kind. With more than `most_points` calls: the median of each stretch of time, with
// the 5th and the 95th percentile, so the text never has more than `most_points` points. It can stand in a
// script element, whatever the log holds.
std::string plot_data(const Profile& profile, const std::vector<Series>& series);

} // namespace switchyard::shim::report
