#include "refuse.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::shim::tune {

namespace {

Estimate estimate_of(const Measurement& measurement) {
    return tune::estimate_of(measurement.ratios, false);
}

bool is_of(const Ruling& rule, const Shape& shape) {
    return std::ranges::any_of(rule.evidence,
                               [&](const Evidence& evidence) { return evidence.point.shape == shape; });
}

// Whether the rules of a shape harm no size and gain in all.
bool holds(const std::vector<Point>& points, const Shape& shape,
           const std::map<Point, Measurement>& verified) {
    double gain = 0, gain_from_first = 0, variance = 0;
    for (const Point& point : points) {
        if (point.shape != shape) continue;
        const auto found = verified.find(point);
        if (found == verified.end()) return false;
        const Estimate estimate = estimate_of(found->second);
        if (is_slower_than_native(estimate)) return false;
        gain += point.weight * (1 - estimate.ratio);
        const double from_first = found->second.from_first;
        gain_from_first += point.weight * (1 - (from_first > 0 ? from_first : estimate.ratio));
        variance += point.weight * point.weight * estimate.error * estimate.error;
    }
    return gain > 3 * std::sqrt(variance) && gain_from_first > 0;
}

// Judges a point by its own rule or, if the point is native, by the rules for other sizes. True: there is a
// new refusal. `shape_loses`: all calls of its shape together lose, counted from the first one on.
bool refuse_at(const Point& point, const Measurement& verified, bool shape_loses,
               const std::vector<Ruling>& rules, Refusals& refusals) {
    const Estimate estimate = estimate_of(verified);
    const bool stands_in = refusals.beside.contains(point);
    if (ruling_over(rules, point) != nullptr && !stands_in)
        return (!is_faster_than_native(estimate) || (shape_loses && loses_from_first(verified.from_first))) &&
               refusals.points.insert(point).second;
    const bool has_neighbours =
        std::ranges::any_of(rules, [&](const Ruling& other) { return is_of(other, point.shape); });
    if (!has_neighbours || !is_slower_than_native(estimate)) return false;
    if (stands_in || refusals.points.contains(point)) return refusals.shapes.insert(point.shape).second;
    return refusals.beside.emplace(point, estimate.ratio).second;
}

// The calls of a shape are usually on one communicator, but each point of the proof makes a
// communicator of its own. So what a first call pays once must not count against a size with few calls
// next to a size with many.
std::set<Shape> losing_from_first(const std::vector<Point>& points,
                                  const std::map<Point, Measurement>& verified) {
    std::map<Shape, double> excess;
    for (const auto& point : points)
        if (const auto found = verified.find(point); found != verified.end() && found->second.from_first > 0)
            excess[point.shape] += point.weight * (found->second.from_first - 1);
    std::set<Shape> losing;
    for (const auto& [shape, sum] : excess)
        if (sum > 0) losing.insert(shape);
    return losing;
}

} // namespace

const Ruling* ruling_over(const std::vector<Ruling>& rules, const Point& point) {
    const auto found = std::ranges::find_if(rules, [&](const Ruling& rule) { return rule.covers(point); });
    return found == rules.end() ? nullptr : &*found;
}

Candidate candidate_at(const std::vector<Ruling>& rules, const Point& point) {
    const Ruling* rule = ruling_over(rules, point);
    return rule == nullptr ? Candidate() : rule->candidate;
}

std::set<Shape> refuse(const std::vector<Point>& points, const std::vector<Ruling>& rules,
                       const std::map<Point, Measurement>& verified, Refusals& refusals) {
    std::set<Shape> changed;
    const auto losing = losing_from_first(points, verified);
    for (const Point& point : points) {
        if (!traits_of(point.shape.collective).block_is_known()) continue;
        const auto found = verified.find(point);
        if (refuse_at(point, found == verified.end() ? Measurement{} : found->second,
                      losing.contains(point.shape), rules, refusals))
            changed.insert(point.shape);
    }
    for (const Ruling& rule : rules)
        for (const Evidence& evidence : rule.evidence) {
            const Shape& shape = evidence.point.shape;
            if (traits_of(shape.collective).block_is_known() || changed.contains(shape)) continue;
            if (holds(points, shape, verified)) continue;
            const bool looks = std::ranges::any_of(
                rules, [&](const Ruling& r) { return is_of(r, shape) && r.looks_at_block(); });
            (looks ? refusals.without_blocks : refusals.shapes).insert(shape);
            changed.insert(shape);
        }
    return changed;
}

std::set<Shape> unproven_shapes(const std::vector<Point>& points, const std::vector<Ruling>& rules,
                                const std::map<Point, Measurement>& verified, ToProve to_prove) {
    std::set<Shape> unproven;
    for (const Point& point : with_points_beyond(rules, points)) {
        const Ruling* rule = ruling_over(rules, point);
        if (rule == nullptr || verified.contains(point)) continue;
        if (to_prove == ToProve::all_rules || !rule->looks_at_block()) unproven.insert(point.shape);
    }
    return unproven;
}

} // namespace switchyard::shim::tune
