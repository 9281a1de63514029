#include "from_log.hpp"

#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <stdexcept>

namespace switchyard::shim::tune {

namespace {

constexpr double least_share = 0.01;
constexpr std::size_t most_points = 24;
constexpr std::size_t longest_name = 40;

// The calls of one point.
struct Calls {
    double rank_us = 0, bytes = 0; // of all ranks together
    double blocks = 0;             // blocks to other ranks, of all calls and ranks
    double on_each = 0;            // on a communicator
    std::uint64_t largest = 0;
};

using Key = std::pair<Shape, unsigned>; // and the bits of the largest block

std::string why_not(const report::CallKind& kind, const Shape& world) {
    if (!algorithms::collective_of(kind.collective))
        return "of " + shown(kind.collective, longest_name) + ", which this version does not know";
    if (algorithms::traits_of(*algorithms::collective_of(kind.collective)).is_among_neighbors)
        return "among neighbours, which tune does not measure";
    if (kind.ranks < 2) return "on one rank";
    if (kind.in_place) return "in place, which tune does not measure";
    if (kind.buffer == "device") return "on device buffers, which tune does not measure";
    if (kind.nodes < 1 || kind.ranks_per_node < 1) return "on nodes that the log does not tell";
    if (kind.ranks > world.ranks)
        return formatted("on {} ranks, but the launcher starts {}", kind.ranks, world.ranks);
    if (kind.nodes > world.nodes || kind.ranks_per_node > world.ranks_per_node ||
        kind.nodes != (kind.ranks + kind.ranks_per_node - 1) / kind.ranks_per_node)
        return formatted("on {} ranks of {} nodes, up to {} of one node: the launcher's ranks lie otherwise",
                         kind.ranks, kind.nodes, kind.ranks_per_node);
    return "";
}

Shape shape_of(const report::CallKind& kind) {
    Shape shape;
    shape.collective = algorithms::collective_of(kind.collective).value();
    shape.ranks = kind.ranks;
    shape.nodes = kind.nodes;
    shape.ranks_per_node = kind.ranks_per_node;
    return shape;
}

// By the mean block's share of the largest one.
std::string distribution_of(const Calls& calls) {
    const double full = calls.bytes / (calls.blocks * static_cast<double>(calls.largest));
    return full > 0.75 ? "equal" : full > 0.25 ? "uniform" : "power_law";
}

Point point_of(const Key& key, const Calls& calls) {
    Point point;
    point.shape = key.first;
    point.max_block = calls.largest;
    point.weight = calls.rank_us;
    point.calls = static_cast<std::uint64_t>(std::max(1.0, calls.on_each));
    point.distribution =
        traits_of(key.first.collective).has_count_arrays() ? distribution_of(calls) : "equal";
    return point;
}

} // namespace

std::vector<Point> points_of_log(const report::Profile& profile, const Shape& world, std::ostream& notes) {
    std::map<Key, Calls> all;
    std::map<std::string, double> left_out; // by reason
    double total = 0;
    for (const report::CallGroup& group : profile.groups) {
        total += group.rank_us.whole;
        const std::string reason = group.largest_block == 0 ? "without data" : why_not(group.kind, world);
        if (!reason.empty()) {
            left_out[reason] += group.rank_us.whole;
            continue;
        }
        Calls& calls = all[{shape_of(group.kind), group.kind.block_bits}];
        calls.rank_us += group.rank_us.whole;
        const double on_each = group.first_calls.calls_on_each(); // unknown in a summary
        calls.on_each += on_each > 0 ? on_each : static_cast<double>(group.calls);
        calls.bytes += group.bytes;
        calls.blocks += static_cast<double>(group.calls) * group.kind.ranks * (group.kind.ranks - 1);
        calls.largest = std::max(calls.largest, group.largest_block);
    }
    if (profile.calls == 0)
        throw std::runtime_error(profile.run.directory +
                                 ": the log has no calls, so there is nothing to tune for");
    if (total <= 0)
        throw std::runtime_error(profile.run.directory +
                                 ": no call of the log takes time, so there is nothing to tune for");
    for (const auto& [reason, time] : left_out)
        notes << formatted("left out: {:.1f} % of the time, in calls {}\n", 100 * time / total, reason);

    std::vector<Point> points;
    for (const auto& [key, calls] : all) points.push_back(point_of(key, calls));
    std::ranges::stable_sort(points, [](const Point& a, const Point& b) { return a.weight > b.weight; });
    const auto rare =
        std::ranges::find_if(points, [&](const Point& p) { return p.weight < least_share * total; });
    points.erase(
        std::min(rare, points.begin() + static_cast<std::ptrdiff_t>(std::min(points.size(), most_points))),
        points.end());
    double covered = 0;
    for (const Point& point : points) covered += point.weight;
    if (points.empty()) throw std::runtime_error(profile.run.directory + ": no calls are left to tune for");
    notes << formatted("{} point{} with {:.1f} % of the log's time in collectives\n", points.size(),
                       points.size() == 1 ? "" : "s", 100 * covered / total);
    for (Point& point : points) point.weight /= covered;
    return points;
}

} // namespace switchyard::shim::tune
