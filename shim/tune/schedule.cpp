#include "schedule.hpp"

#include "candidates.hpp"
#include "combine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace switchyard::shim::tune {

namespace {

constexpr int first_iterations = 20, most_iterations = 4000, most_passes = 12;
constexpr double sharp = 0.01; // an error of 1 % is small enough
constexpr std::size_t combined_settings = 3;

} // namespace

Halving::Halving(std::vector<Point> points, const Measurements& measurements)
    : points_(std::move(points)), measurements_(measurements) {
    std::ranges::stable_sort(points_, [](const Point& a, const Point& b) { return a.weight > b.weight; });
}

// The better half of the last pass, without candidates that are clearly behind. Two stay if the noise does
// not tell them apart.
std::vector<std::string> Halving::survivors(const Point& point) const {
    std::vector<std::pair<std::string, Estimate>> last;
    for (const auto& [candidate, record] : measurements_.at(point))
        if (record.last_pass == measurements_.last_pass(point)) last.emplace_back(candidate, record.estimate);
    std::ranges::sort(last, [](const auto& a, const auto& b) { return a.second.ratio < b.second.ratio; });
    const std::size_t most = std::max<std::size_t>(2, (last.size() + 1) / 2);
    std::vector<std::string> kept;
    for (const auto& [candidate, estimate] : last)
        if (kept.size() < most && !is_behind(estimate, last.front().second)) kept.push_back(candidate);
    const std::string all_sizes = kept_for_all_sizes(point);
    if (!all_sizes.empty() && std::ranges::find(kept, all_sizes) == kept.end()) kept.push_back(all_sizes);
    return kept;
}

// The best candidate over all sizes stays at each size, so that an accident at one size does not split its
// range. Only candidates that need no agreement count: their rule need not look at the block, and that can be
// worth more than the best algorithm at each size.
std::string Halving::kept_for_all_sizes(const Point& point) const {
    std::string best;
    double least = INFINITY;
    for (const auto& [candidate, here] : measurements_.at(point)) {
        if (needs_agreement(point.shape.collective, candidate)) continue;
        double sum = 0;
        for (const Point& size : points_) {
            if (size.shape != point.shape) continue;
            const Record* record = measurements_.find(size, candidate);
            sum += record == nullptr ? INFINITY : size.weight * record->estimate.ratio;
        }
        if (sum < least) {
            least = sum;
            best = candidate;
        }
    }
    return best;
}

bool Halving::is_settled(const Point& point, const std::vector<std::string>& survivors) const {
    if (measurements_.last_pass(point) >= most_passes) return true;
    const auto estimate = [&](const std::string& candidate) {
        return measurements_.find(point, candidate)->estimate;
    };
    if (std::ranges::all_of(survivors, [&](const auto& c) { return is_slower_than_native(estimate(c)); }))
        return true;
    return survivors.size() <= 2 && std::ranges::all_of(survivors, [&](const auto& candidate) {
               const Estimate known = estimate(candidate);
               return known.error <= sharp * known.ratio;
           });
}

// What the second pass adds: the best settings of the first pass, combined. If a run was stopped in between,
// another size may be ahead and have combined them already. Then this size gets the same combinations.
std::vector<std::string> Halving::combinations_due(const Point& point) const {
    if (measurements_.last_pass(point) != 1) return {};
    std::vector<std::string> due;
    for (const Point& other : points_)
        if (other.shape == point.shape && measurements_.last_pass(other) > 1)
            for (const auto& [candidate, record] : measurements_.at(other)) due.push_back(candidate);
    if (due.empty()) due = combinations_for(point.shape, points_, measurements_, combined_settings);
    std::vector<std::string> fresh;
    for (const std::string& candidate : due)
        if (measurements_.find(point, candidate) == nullptr &&
            std::ranges::find(fresh, candidate) == fresh.end())
            fresh.push_back(candidate);
    return fresh;
}

std::size_t Halving::most_combinations(const Shape& shape) const {
    return tune::most_combinations(shape, points_, measurements_, combined_settings);
}

std::vector<std::string> Halving::open_at(const Point& point) const {
    if (measurements_.at(point).empty()) return candidates_of(point.shape);
    auto left = survivors(point);
    if (is_settled(point, left)) left.clear();
    for (std::string& candidate : combinations_due(point)) left.push_back(std::move(candidate));
    return left;
}

int Halving::passes_left() const {
    std::size_t most = 0;
    for (const Point& point : points_) most = std::max(most, open_at(point).size());
    return most == 0 ? 0 : std::max(1, static_cast<int>(std::bit_width(most - 1)) + 1);
}

double Halving::seconds_per_iteration(const Point& point, const std::vector<std::string>& candidates) const {
    double seconds = 0, dearest = 0;
    std::size_t known = 0;
    for (const auto& [candidate, record] : measurements_.at(point)) {
        if (std::ranges::find(candidates, candidate) == candidates.end()) continue;
        seconds += record.seconds_per_iteration;
        dearest = std::max(dearest, record.seconds_per_iteration);
        ++known;
    }
    if (known > 0) // the other candidates cost as much
        seconds *= static_cast<double>(candidates.size()) / static_cast<double>(known);
    return seconds + 2 * dearest; // for native and the agreement
}

std::vector<Work> Halving::next(double seconds, double launch_seconds) const {
    std::vector<Work> works;
    for (const Point& point : points_) {
        Work work;
        work.point = point;
        work.candidates = open_at(point);
        work.pass = measurements_.last_pass(point) + 1;
        if (!work.candidates.empty()) works.push_back(std::move(work));
    }
    if (works.empty()) return works;
    const double for_this = std::max(0.0, seconds / passes_left() - launch_seconds);
    const double each = for_this / static_cast<double>(works.size());
    for (Work& work : works) {
        const double cost = seconds_per_iteration(work.point, work.candidates);
        work.warmup = 1;
        work.iterations = first_iterations;
        if (cost > 0)
            work.iterations = static_cast<int>(std::clamp(each / cost - 1, 1.0, double{most_iterations}));
        work.seconds = cost * (work.iterations + work.warmup);
        // A candidate gets at most three times its share, and at least a millisecond.
        work.time_limit = std::max(3 * each / static_cast<double>(work.candidates.size() + 2), 1e-3);
    }
    return works;
}

} // namespace switchyard::shim::tune
