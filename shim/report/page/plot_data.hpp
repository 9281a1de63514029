// The timeline's data, for the library that draws it: JSON, read by page/page.js.
#pragma once

#include "series.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

// A longer log is shown by stretches of time.
inline constexpr std::size_t most_points = 4000;

// Every call: when it began, how long it took, and of which kind it is. With more than `most_points` calls the median of each
// stretch of time, with the 5th and the 95th percentile. The text can stand in a script element, whatever the
// log holds. It has no more than `most_points` points.
std::string plot_data(const Profile& profile, const std::vector<Series>& series);

} // namespace switchyard::shim::report
