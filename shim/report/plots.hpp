// The plots of a report, as SVG. No plot has more than a few thousand shapes, however long the log is.
#pragma once

#include "axis.hpp"
#include "profile.hpp"
#include "rank_picture.hpp"
#include "svg.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

inline constexpr double plot_width = 1080;

// Calls of one collective and one algorithm with its parameters. They share a colour and a shape.
struct Series {
    std::string name;
    std::uint64_t calls = 0;
    double time_us = 0; // of the average rank
    Samples call_us;
    std::vector<std::uint32_t> groups; // places in the profile
};
// Sorted by time. The first `series_colours` series stand alone; the rest becomes one series.
std::vector<Series> series_of(const Profile& profile);

// Every call: when it began, and how long it took. With more than 2,000 calls: the median of each stretch of time, and a
// line from the 5th to the 95th percentile.
std::string timeline_plot(const Profile& profile, const std::vector<Series>& series);

// Ticks, their times and a title, `below` being the lower edge of a plot over the run's time.
void draw_time_axis(Svg& svg, const Axis& x, double below, double end_us);

// Calls and their time by largest block. The place of a collective is the place of its colour.
std::vector<std::string> collectives_of(const Profile& profile);
std::string histogram_plot(const Profile& profile);

// Median time and number of calls, by block, for each collective, number of ranks and algorithm.
std::string heat_map_plot(const Profile& profile);

// Each rank's time in collectives compared with the average rank's, over the run.
std::string ranks_plot(const RankPicture& picture);

// The mark of a series, for a legend.
std::string legend_mark(std::size_t series);

} // namespace switchyard::shim::report
