#include "rules.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace switchyard::shim::tune {

namespace {

constexpr double as_good = 1.05;      // time / best time of a candidate that counts as good as the best
constexpr double worth_ranges = 0.97; // time of rules with bounds / time of one rule without
constexpr double unnoticed = 0.01;    // agreement / native's time that a size without a gain may bear

using Eligible = std::map<Candidate, Estimate>;

// The candidates at one point, with and without the agreement that a rule with bounds costs there.
struct Size {
    Point point;
    Eligible with_agreement, without;
    double agreement = 0; // share of native's time
    std::size_t bytes = 0;
};

// `native`: native's ratio next to rules for other sizes. A candidate may undercut this
// ratio instead. 0: unknown.
Eligible only_faster(const Eligible& all, double native = 0) {
    Eligible faster;
    for (const auto& [candidate, estimate] : all) {
        const bool instead = estimate.ratio < native && !is_slower_than_native(estimate);
        if (is_faster_than_native(estimate) || instead) faster.emplace(candidate, estimate);
    }
    return faster;
}

Size size_of(const Point& point, const Measurements& measurements, const Refusals& refusals) {
    Size size;
    size.point = point;
    size.bytes = std::max(point.max_block, measurements.largest_block(point));
    size.agreement = measurements.agreement(point);
    if (refusals.points.contains(point)) return size;
    for (const auto& [candidate, record] : measurements.at(point)) {
        Estimate estimate = record.estimate;
        const bool agrees = candidate.needs_agreement(); // measured with it
        if (!agrees) size.without.emplace(candidate, estimate);
        if (!agrees) estimate.ratio += size.agreement;
        size.with_agreement.emplace(candidate, estimate);
    }
    size.without = only_faster(size.without);
    const auto beside = refusals.beside.find(point);
    size.with_agreement =
        only_faster(size.with_agreement, beside == refusals.beside.end() ? 0 : beside->second);
    return size;
}

// A ratio that is safe to assume: few iterations that happened to be fast do not win.
double pessimistic(const Estimate& estimate) {
    return estimate.ratio + 2 * estimate.error;
}

Eligible as_good_as_best(const Eligible& eligible) {
    Eligible good;
    if (eligible.empty()) return good;
    const Estimate best = std::ranges::min_element(eligible, {}, [](const auto& entry) {
                              return pessimistic(entry.second);
                          })->second;
    for (const auto& [candidate, estimate] : eligible)
        if (!is_behind(estimate, best) && estimate.ratio <= as_good * best.ratio)
            good.emplace(candidate, estimate);
    return good;
}

// Of the candidates that are good at each size, the one with the least time in total. Nothing: there is none.
std::optional<Candidate> good_at_all(const std::vector<Size>& sizes, std::size_t first, std::size_t last,
                                     const std::vector<Eligible>& good) {
    std::optional<Candidate> best;
    double least = INFINITY;
    for (const auto& [candidate, estimate] : good[first]) {
        double sum = 0;
        for (std::size_t i = first; i <= last; ++i) {
            const auto found = good[i].find(candidate);
            sum += found == good[i].end() ? INFINITY : sizes[i].point.weight * pessimistic(found->second);
        }
        if (sum < least) {
            least = sum;
            best = candidate;
        }
    }
    return best;
}

// Rules for all sizes of one shape, and their time / native's time, summed up with the weights.
struct Proposal {
    std::vector<Ruling> rulings;
    double time = 0;
};

// Ranges of blocks. A range extends while one candidate is as good as the best.
Proposal by_ranges(const Shape& shape, const std::vector<Size>& sizes) {
    std::vector<Eligible> good;
    for (const Size& size : sizes) good.push_back(as_good_as_best(size.with_agreement));
    Proposal proposal;
    for (std::size_t first = 0; first < sizes.size();) {
        if (good[first].empty()) {
            proposal.time += sizes[first].point.weight * (1 + sizes[first].agreement);
            ++first;
            continue;
        }
        std::size_t last = first;
        while (last + 1 < sizes.size() && good_at_all(sizes, first, last + 1, good)) ++last;
        Ruling ruling = ruling_for(shape, *good_at_all(sizes, first, last, good));
        if (first > 0) ruling.blocks.min = bound_between(sizes[first - 1].bytes, sizes[first].bytes) + 1;
        ruling.blocks.max = last + 1 < sizes.size() ? bound_between(sizes[last].bytes, sizes[last + 1].bytes)
                                                    : sizes[last].bytes;
        for (std::size_t i = first; i <= last; ++i) {
            const Estimate estimate = good[i].at(ruling.candidate);
            ruling.evidence.push_back({sizes[i].point, estimate});
            proposal.time += sizes[i].point.weight * estimate.ratio;
        }
        proposal.rulings.push_back(std::move(ruling));
        first = last + 1;
    }
    return proposal;
}

Proposal all_native(const std::vector<Size>& sizes) {
    Proposal proposal;
    for (const Size& size : sizes) proposal.time += size.point.weight;
    return proposal;
}

// One rule for all blocks, with a candidate that needs no agreement and wins at every measured size.
Proposal without_bounds(const Shape& shape, const std::vector<Size>& sizes) {
    std::vector<Eligible> faster;
    for (const Size& size : sizes) faster.push_back(size.without);
    const auto candidate = good_at_all(sizes, 0, sizes.size() - 1, faster);
    if (!candidate) return all_native(sizes);
    Proposal proposal;
    Ruling ruling = ruling_for(shape, *candidate);
    for (const Size& size : sizes) {
        const Estimate estimate = size.without.at(*candidate);
        ruling.evidence.push_back({size.point, estimate});
        proposal.time += size.point.weight * estimate.ratio;
    }
    proposal.rulings.push_back(std::move(ruling));
    return proposal;
}

// At every size a candidate wins in spite of the agreement, or the agreement is not noticed.
bool harms_nobody(const std::vector<Size>& sizes) {
    return std::ranges::all_of(
        sizes, [](const Size& size) { return !size.with_agreement.empty() || size.agreement <= unnoticed; });
}

Proposal best_for(const Shape& shape, const std::vector<Size>& sizes, const Refusals& refusals) {
    if (refusals.shapes.contains(shape)) return all_native(sizes);
    if (traits_of(shape.collective).block_is_known()) return by_ranges(shape, sizes);
    Proposal best = without_bounds(shape, sizes);
    if (refusals.without_blocks.contains(shape) || !harms_nobody(sizes)) return best;
    Proposal ranges = by_ranges(shape, sizes);
    return ranges.time < worth_ranges * best.time ? ranges : best;
}

// ---- Neighbouring numbers of ranks ----

policy::Range hull(const policy::Range& a, const policy::Range& b) {
    return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

std::size_t shapes_covered(const Ruling& ruling, const std::set<Shape>& shapes) {
    return static_cast<std::size_t>(
        std::ranges::count_if(shapes, [&](const Shape& shape) { return ruling.covers_shape(shape); }));
}

// Makes one rule of both, unless it would cover another measured shape.
bool merge(Ruling& into, const Ruling& from, const std::set<Shape>& shapes) {
    if (into.collective != from.collective || into.candidate != from.candidate || into.blocks != from.blocks)
        return false;
    Ruling both = into;
    both.ranks = hull(into.ranks, from.ranks);
    both.nodes = hull(into.nodes, from.nodes);
    both.ranks_per_node = hull(into.ranks_per_node, from.ranks_per_node);
    both.evidence.insert(both.evidence.end(), from.evidence.begin(), from.evidence.end());
    std::set<Shape> theirs;
    for (const Evidence& evidence : both.evidence) theirs.insert(evidence.point.shape);
    if (shapes_covered(both, shapes) != theirs.size()) return false;
    into = std::move(both);
    return true;
}

} // namespace

std::vector<Point> points_beyond(const std::vector<Ruling>& rules, const std::vector<Point>& points) {
    constexpr std::size_t times_larger = 32, most_bytes = std::size_t{64} << 20; // of a rank's blocks
    std::map<Shape, Point> largest;
    for (const Ruling& rule : rules)
        for (const Point& point : points)
            if (!rule.looks_at_block() && rule.covers_shape(point.shape))
                largest[point.shape] = std::max(largest[point.shape], point);
    std::vector<Point> beyond;
    for (auto& [shape, point] : largest) {
        const std::size_t block = std::min(times_larger * point.max_block,
                                           most_bytes / static_cast<std::size_t>(std::max(shape.ranks, 1)));
        if (block <= point.max_block) continue;
        point.max_block = block;
        point.weight = 0;
        beyond.push_back(point);
    }
    return beyond;
}

std::vector<Point> with_points_beyond(const std::vector<Ruling>& rules, const std::vector<Point>& points) {
    auto all = points;
    for (Point& point : points_beyond(rules, points)) all.push_back(std::move(point));
    return all;
}

bool Ruling::covers_shape(const Shape& shape) const {
    return collective == shape.collective && ranks.contains(static_cast<std::uint64_t>(shape.ranks)) &&
           nodes.contains(static_cast<std::uint64_t>(shape.nodes)) &&
           ranks_per_node.contains(static_cast<std::uint64_t>(shape.ranks_per_node));
}

bool Ruling::covers(const Point& point) const {
    return covers_shape(point.shape) && blocks.contains(point.max_block);
}

std::vector<Ruling> rules_of(const std::vector<Point>& points, const Measurements& measurements,
                             const Refusals& refusals) {
    std::map<Shape, std::vector<Size>> by_shape;
    std::set<Shape> shapes;
    std::vector<Point> ascending = points;
    std::ranges::sort(ascending);
    for (const Point& point : ascending) {
        by_shape[point.shape].push_back(size_of(point, measurements, refusals));
        shapes.insert(point.shape);
    }
    std::vector<Ruling> rules;
    for (const auto& [shape, sizes] : by_shape)
        for (Ruling& ruling : best_for(shape, sizes, refusals).rulings) {
            const bool merged =
                std::ranges::any_of(rules, [&](Ruling& earlier) { return merge(earlier, ruling, shapes); });
            if (!merged) rules.push_back(std::move(ruling));
        }
    return rules;
}

std::uint64_t bound_between(std::size_t smaller, std::size_t larger) {
    const double mean =
        std::sqrt(static_cast<double>(std::max<std::size_t>(smaller, 1)) * static_cast<double>(larger));
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(mean), smaller, larger - 1);
}

Ruling ruling_for(const Shape& shape, Candidate candidate) {
    const auto exactly = [](int value) {
        return policy::Range{static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value)};
    };
    Ruling ruling;
    ruling.collective = shape.collective;
    ruling.ranks = exactly(shape.ranks);
    ruling.nodes = exactly(shape.nodes);
    ruling.ranks_per_node = exactly(shape.ranks_per_node);
    ruling.candidate = std::move(candidate);
    return ruling;
}

} // namespace switchyard::shim::tune
