// Refuses rules that a run under the shim shows to be slower.
#pragma once

#include "rules.hpp"

#include <map>
#include <set>
#include <vector>

namespace switchyard::shim::tune {

// The rule for calls at that point. Null: they go native.
const Ruling* ruling_over(const std::vector<Ruling>& rules, const Point& point);
Candidate candidate_at(const std::vector<Ruling>& rules, const Point& point); // or native

// `verified`: times of a run under these rules (`preloaded` beside native). Adds to the refusals, and returns
// the shapes with new ones.
//
// Where MPI tells all ranks the largest block, each size is judged by itself: a rule is refused at a size
// where it is not faster. It is also refused at a size whose calls take longer, counted from the first one
// on, if the calls of all the shape's sizes together take longer as well. Elsewhere (alltoallv) the rules of
// a shape are judged together. If they harm a size, or gain nothing in total, the rules that look at the
// block are refused; if none looks at it, all rules of the shape are.
std::set<Shape> refuse(const std::vector<Point>& points, const std::vector<Ruling>& rules,
                       const std::map<Point, Measurement>& verified, Refusals& refusals);

// Which rules must have been measured under the shim to be written. A rule with bounds rests on measurements
// of its candidate, unless the model chose the candidate.
enum class ToProve { rules_without_bounds, all_rules };

// The shapes with unproven rules. A rule without bounds holds for every block, so it is written only if it
// was measured under the shim at each of its points and at the points of points_beyond().
std::set<Shape> unproven_shapes(const std::vector<Point>& points, const std::vector<Ruling>& rules,
                                const std::map<Point, Measurement>& verified,
                                ToProve to_prove = ToProve::rules_without_bounds);

} // namespace switchyard::shim::tune
