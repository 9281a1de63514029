// The pictures of a report, as SVG. None has more than a few thousand shapes, however long the log is.
#pragma once

#include "profile.hpp"
#include "rank_picture.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

inline constexpr double plot_width = 1080;

// Calls of one collective by one algorithm with its parameters. What is drawn in one colour and shape.
struct Series {
    std::string name;
    std::uint64_t calls = 0;
    double time_us = 0; // of the average rank
    Samples call_us;
    std::vector<std::uint32_t> groups; // places in the profile
};
// The most time first; from the place series_colours on, what is left is one series.
std::vector<Series> series_of(const Profile& profile);

// Every call by when it began and how long it took. Of more than 2,000 calls: the median of each stretch of
// time, and a line from the 5th to the 95th percentile.
std::string timeline_plot(const Profile& profile, const std::vector<Series>& series);

// Calls, and their time, by the size of their largest block; collectives in order of their colours.
std::vector<std::string> collectives_of(const Profile& profile);
std::string histogram_plot(const Profile& profile);

// Median time and number of calls by block, for each collective, number of ranks and algorithm.
std::string heat_map_plot(const Profile& profile);

// Which ranks were longer and which shorter in collectives than the average, over the run.
std::string ranks_plot(const RankPicture& picture);

// A sample of a series for a legend.
std::string legend_mark(std::size_t series);

} // namespace switchyard::shim::report
