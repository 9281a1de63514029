// From measurements to rules: as few as possible, and none slower than native beyond the noise.
#pragma once

#include "measurements.hpp"

#include "policy/table.hpp"

#include <map>
#include <set>
#include <vector>

namespace switchyard::shim::tune {

// A measurement behind a rule.
struct Evidence {
    Point point;
    Estimate estimate; // of the candidate, and of the agreement if the rule causes one
};

// A rule before it is written: one candidate for a range of blocks on a range of communicators.
struct Ruling {
    policy::Collective collective = policy::Collective::alltoallv;
    policy::Range ranks, nodes, ranks_per_node, blocks;
    Candidate candidate;
    std::vector<Evidence> evidence;

    bool looks_at_block() const { return blocks != policy::Range{}; }
    bool covers(const Point& point) const;
    bool covers_shape(const Shape& shape) const;
};

// The candidate for every block of exactly these ranks and nodes.
Ruling ruling_for(const Shape& shape, Candidate candidate);
// The largest block that belongs to the smaller of two sizes: at their geometric mean.
std::uint64_t bound_between(std::size_t smaller, std::size_t larger);

// Rules that are not made, because a run under the shim showed them to be slower.
struct Refusals {
    std::set<Point> points;         // no rule at these points
    std::set<Shape> without_blocks; // no rule that looks at the block, for these shapes
    std::set<Shape> shapes;         // no rule for these shapes
    // Native calls cost more next to rules for other sizes. By point: their time / native's time without
    // rules. A candidate may stand in for native there if it is below this ratio and not slower than native.
    std::map<Point, double> beside;
};

// At each point the best candidate wins if it is faster than native beyond the noise. Neighbouring sizes
// become one range if one candidate is as good as the best at each of them. Bounds lie at the geometric mean
// between measured sizes; the last range ends at the largest size. Neighbouring numbers of ranks with the
// same ranges become one rule.
//
// Where MPI does not tell all ranks the largest block (alltoallv), a rule that looks at it costs an allreduce
// before every call on the communicator. Such a shape gets one of these: rules with bounds, if every size has
// a winner in spite of the allreduce; one rule without bounds, for a candidate that needs no agreement and
// wins at all sizes; or native. Rules with bounds must save 3 % of the time of the other two, since they also
// cost the calls of sizes that nobody measured.
std::vector<Ruling> rules_of(const std::vector<Point>& points, const Measurements& measurements,
                             const Refusals& refusals);

// A rule without bounds also takes blocks that nobody measured. These points have larger blocks, where such
// rules must prove that they harm nobody: one point, of weight 0, for each shape with such a rule.
std::vector<Point> points_beyond(const std::vector<Ruling>& rules, const std::vector<Point>& points);
// `points`, then points_beyond().
std::vector<Point> with_points_beyond(const std::vector<Ruling>& rules, const std::vector<Point>& points);

} // namespace switchyard::shim::tune
