// The calls of a run in few series, by what ran.
#pragma once

#include "shim/report/read/profile.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

// Calls of one collective and one algorithm with its parameters. They share a colour and a mark.
struct Series {
    std::string name;
    std::uint64_t calls = 0;
    double time_us = 0; // of the average rank
    Samples call_us;
    std::vector<std::uint32_t> groups; // places in the profile
};
// Sorted by time. The first `series_colours` series stand alone; the rest becomes one series.
std::vector<Series> series_of(const Profile& profile);

} // namespace switchyard::shim::report
