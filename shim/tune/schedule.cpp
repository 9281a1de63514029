#include "schedule.hpp"

#include "candidates.hpp"
#include "combine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace switchyard::shim::tune {

namespace {

using algorithms::Parameter;

constexpr int first_iterations = 20, most_iterations = 4000, most_passes = 12;
constexpr double sharp = 0.01; // an error of 1 % is small enough

bool contains(const std::vector<Candidate>& candidates, const Candidate& candidate) {
    return std::ranges::find(candidates, candidate) != candidates.end();
}

} // namespace

Halving::Halving(std::vector<Point> points, const Measurements& measurements, Evaluations evaluations)
    : points_(std::move(points)), measurements_(measurements), evaluations_(evaluations) {
    std::ranges::stable_sort(points_, [](const Point& a, const Point& b) { return a.weight > b.weight; });
}

std::vector<Candidate> Halving::first_candidates(const Shape& shape) const {
    return evaluations_ == Evaluations::costly ? coarse_candidates_of(shape) : candidates_of(shape);
}

std::vector<Candidate> Halving::missing(const std::vector<Candidate>& wanted, const Point& point) const {
    std::vector<Candidate> missing;
    for (const Candidate& candidate : wanted)
        if (measurements_.find(point, candidate) == nullptr && !contains(missing, candidate))
            missing.push_back(candidate);
    return missing;
}

// The better half of the last pass, without candidates that are clearly behind. Two stay if the noise does
// not tell them apart.
std::vector<Candidate> Halving::survivors(const Point& point) const {
    std::vector<std::pair<Candidate, Estimate>> last;
    for (const auto& [candidate, record] : measurements_.at(point))
        if (record.last_pass == measurements_.last_pass(point)) last.emplace_back(candidate, record.estimate);
    std::ranges::sort(last, [](const auto& a, const auto& b) { return a.second.ratio < b.second.ratio; });
    const std::size_t most = std::max<std::size_t>(2, (last.size() + 1) / 2);
    std::vector<Candidate> kept;
    for (const auto& [candidate, estimate] : last)
        if (kept.size() < most && !is_behind(estimate, last.front().second)) kept.push_back(candidate);
    const auto all_sizes = kept_for_all_sizes(point);
    if (all_sizes && !contains(kept, *all_sizes)) kept.push_back(*all_sizes);
    return kept;
}

// The best candidate over all sizes stays at each size, so that an accident at one size does not split its
// range. Only candidates that need no agreement count: their rule need not look at the block, and that can be
// worth more than the best algorithm at each size.
std::optional<Candidate> Halving::kept_for_all_sizes(const Point& point) const {
    std::optional<Candidate> best;
    double least = INFINITY;
    for (const auto& [candidate, here] : measurements_.at(point)) {
        if (candidate.needs_agreement()) continue;
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

bool Halving::is_settled(const Point& point, const std::vector<Candidate>& survivors) const {
    if (measurements_.last_pass(point) >= most_passes) return true;
    const auto estimate = [&](const Candidate& candidate) {
        return measurements_.find(point, candidate)->estimate;
    };
    if (std::ranges::all_of(survivors, [&](const auto& c) { return is_slower_than_native(estimate(c)); }))
        return true;
    return survivors.size() <= 2 && std::ranges::all_of(survivors, [&](const auto& candidate) {
               const Estimate known = estimate(candidate);
               return known.error <= sharp * known.ratio;
           });
}

// The best settings of the first candidates, combined: in the second pass, or where times are exact once no
// size of the shape has a step to make. If a run was stopped in between, another size may be ahead and have
// combined them already. Then this size gets the same combinations.
std::vector<Candidate> Halving::combinations_due(const Point& point) const {
    const bool exact = measurements_.are_exact();
    if (!exact && measurements_.last_pass(point) != 1) return {};
    std::vector<Candidate> due;
    for (const Point& other : points_) {
        if (other.shape != point.shape) continue;
        if (exact && (measurements_.at(other).empty() || !steps_from_best(other).empty())) return {};
        if (!exact && measurements_.last_pass(other) > 1)
            for (const auto& [candidate, record] : measurements_.at(other)) due.push_back(candidate);
    }
    if (due.empty()) due = combinations_for(point.shape, points_, measurements_);
    return missing(due, point);
}

// From the best of the costly evaluations, as if there were no borders: to a radix beside its own, then to
// another parameter.
std::vector<Candidate> Halving::steps_from_best(const Point& point) const {
    if (evaluations_ == Evaluations::cheap) return {};
    const Candidate* best = nullptr;
    double least = INFINITY;
    for (const auto& [candidate, record] : measurements_.at(point)) {
        if (candidate.gives(Parameter::direct_from) || record.estimate.ratio >= least) continue;
        best = &candidate;
        least = record.estimate.ratio;
    }
    if (best == nullptr) return {};
    auto steps = missing(near_radices(point.shape, *best), point);
    if (steps.empty() && !best->without(Parameter::radix).gives_any())
        steps = missing(variations_of(point.shape, *best), point);
    return steps;
}

std::vector<Candidate> Halving::open_at(const Point& point) const {
    if (measurements_.at(point).empty()) return first_candidates(point.shape);
    std::vector<Candidate> left = measurements_.are_exact() ? steps_from_best(point) : survivors(point);
    if (!measurements_.are_exact() && is_settled(point, left)) left.clear();
    for (Candidate& candidate : combinations_due(point)) left.push_back(std::move(candidate));
    return left;
}

int Halving::passes_left() const {
    std::size_t most = 0;
    for (const Point& point : points_) most = std::max(most, open_at(point).size());
    return most == 0 ? 0 : std::max(1, static_cast<int>(std::bit_width(most - 1)) + 1);
}

double Halving::seconds_per_iteration(const Work& work) const {
    double seconds = 0, dearest = 0;
    std::size_t known = 0;
    for (const auto& [candidate, record] : measurements_.at(work.point)) {
        if (!contains(work.candidates, candidate)) continue;
        seconds += record.seconds_per_iteration;
        dearest = std::max(dearest, record.seconds_per_iteration);
        ++known;
    }
    if (known > 0) // the other candidates cost as much
        seconds *= static_cast<double>(work.candidates.size()) / static_cast<double>(known);
    return seconds + 2 * dearest; // for native and the agreement
}

void Halving::give_time(Work& work, double seconds) const {
    const double cost = seconds_per_iteration(work);
    work.warmup = 1;
    work.iterations = first_iterations;
    if (cost > 0)
        work.iterations = static_cast<int>(std::clamp(seconds / cost - 1, 1.0, double{most_iterations}));
    work.seconds = cost * (work.iterations + work.warmup);
    // A candidate gets at most three times its share, and at least a millisecond.
    work.time_limit = std::max(3 * seconds / static_cast<double>(work.candidates.size() + 2), 1e-3);
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
    if (works.empty() || measurements_.are_exact()) return works;
    const double for_this = std::max(0.0, seconds / passes_left() - launch_seconds);
    for (Work& work : works) give_time(work, for_this / static_cast<double>(works.size()));
    return works;
}

} // namespace switchyard::shim::tune
