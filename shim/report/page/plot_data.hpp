// The data that a page gives to the library that draws its plots: JSON, read by page/page.js.
#pragma once

#include "series.hpp"
#include "shim/report/facts/pairs.hpp"
#include "sizes.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

// A longer log is shown by stretches of time.
inline constexpr std::size_t most_points = 4000;

// The timeline has every call: when it began, and how long it took. With more than `most_points` calls it has
// the median of each stretch of time, with the 5th and the 95th percentile. A summary has no timeline. The
// histogram has calls and time by block. The text can stand in a script element, whatever the log holds. It
// has no more than `most_points` points.
std::string plot_data(const Profile& profile, const std::vector<Series>& series, const Sizes& sizes);

// A figure of the runs of two pools, in pairs. `id`: of its place in the page.
struct PairsPlot {
    std::string id;
    const Paired* paired;
};
// The data of a comparison: each pair with its text. If there are very many pairs, the
// later ones are left out.
std::string plot_data(const std::vector<PairsPlot>& plots);

} // namespace switchyard::shim::report
