// The calls in a run's log, as points to measure.
#pragma once

#include "point.hpp"

#include "shim/report/read/profile.hpp"

#include <iosfwd>
#include <vector>

namespace switchyard::shim::tune {

// Calls with the same collective, shape of communicator and power of two of the largest block make a point,
// if they took at least 1 % of the log's time in collectives. At most 24 points, the most time first. A
// point's weight is its share of the time of all points. Its calls are those on one communicator, since each
// communicator pays for its first calls. Where block sizes differ, their distribution is guessed from the
// mean block's share of the largest: all equal, uniform, or few large ones.
//
// `world`: the ranks that the launcher starts. Larger communicators are left out. `notes` gets a line
// for everything that is left out, with the reason. Throws std::runtime_error with a sentence for
// people if no point is left.
std::vector<Point> points_of_log(const report::Profile& profile, const Shape& world, std::ostream& notes);

} // namespace switchyard::shim::tune
