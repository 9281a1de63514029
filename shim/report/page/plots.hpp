// The plots of a report that we draw ourselves, as SVG. No plot has more than a few thousand shapes, however
// long the log is.
#pragma once

#include "rank_picture.hpp"
#include "shim/report/read/profile.hpp"

#include <string>

namespace switchyard::shim::report {

inline constexpr double plot_width = 1080;

// Median time and number of calls, by block, for each collective, number of ranks and algorithm.
std::string heat_map_plot(const Profile& profile);

// Each rank's time in collectives compared with the average rank's, over the run.
std::string ranks_plot(const RankPicture& picture);

} // namespace switchyard::shim::report
