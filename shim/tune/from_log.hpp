// What a run's log shows an application to do, as points to measure.
#pragma once

#include "point.hpp"

#include "shim/report/profile.hpp"

#include <iosfwd>
#include <vector>

namespace switchyard::shim::tune {

// A point for each collective, shape of communicator and power of two of the largest block that took at least
// 1 % of the log's time in collectives, no more than 24 of them, the most time first; the weight of each is its
// share of what these take together. The distribution of alltoallv's blocks is guessed from how full the largest
// block is on average: all equal, uniform, or few large ones. `notes` says what is left out, and why.
//
// A world of so many ranks is what the launcher starts: larger communicators are left out. Throws
// std::runtime_error with a sentence for people where nothing is left.
std::vector<Point> points_of_log(const report::Profile& profile, const Shape& world, std::ostream& notes);

} // namespace switchyard::shim::tune
