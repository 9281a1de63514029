// From measurements to rules: the fewest that are nowhere slower than native beyond the noise.
#pragma once

#include "measurements.hpp"

#include "policy/table.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// What a rule goes back on.
struct Evidence {
    Point point;
    Estimate estimate; // of the candidate, with the agreement where the rule makes there be one
};

// A rule before it is written: one candidate for blocks in a range on communicators in a range.
struct Ruling {
    policy::Collective collective = policy::Collective::alltoallv;
    policy::Range ranks, nodes, ranks_per_node, blocks;
    std::string candidate;
    std::vector<Evidence> evidence;

    bool looks_at_block() const { return blocks != policy::Range{}; }
    bool covers(const Point& point) const;
};

// What a run under the shim showed to be slower after all.
struct Refusals {
    std::set<Point> points;         // native there
    std::set<Shape> without_blocks; // no rule there that looks at the block
    std::set<Shape> shapes;         // native there, whatever the block
    // What native costs there, in native's time, beside rules for other sizes: a candidate that is no slower
    // than native by itself and costs less than that is welcome, too.
    std::map<Point, double> beside;
};

// At each point the best candidate where it is faster than native beyond the noise. Neighbouring sizes, for
// which one candidate is as good as the best at each, become one range, with bounds at the geometric mean
// between measured sizes; it ends at the largest. Neighbouring numbers of ranks with the same ranges become
// one rule.
//
// An alltoallv of a communicator where some rule looks at the block costs an allreduce before each call. There
// either every size has a winner in spite of it, or one candidate that needs no agreement and wins at all sizes
// gets a rule without bounds, or native it is: whichever takes the least time in all.
std::vector<Ruling> rules_of(const std::vector<Point>& points, const Measurements& measurements,
                             const Refusals& refusals);

} // namespace switchyard::shim::tune
