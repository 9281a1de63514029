#include "search.hpp"

#include "candidates.hpp"
#include "combine.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace switchyard::shim::tune {

namespace {

constexpr std::size_t refined_algorithms = 2; // algorithms whose radices are refined
constexpr std::size_t most_refined = 4;       // radices for each of them besides the coarse ones
constexpr std::size_t searched_settings = 2;  // settings that are combined with borders

using Records = std::map<std::string, Record>;

double ratio_of(const Records& records, const std::string& candidate) {
    return records.at(candidate).estimate.ratio;
}

// The evaluated radices of one algorithm, with their ratios. Its other parameters have their presets.
std::map<std::int64_t, double> radices_of(const Shape& shape, const std::string& algorithm,
                                          const Records& records) {
    std::map<std::int64_t, double> radices;
    for (const auto& [candidate, record] : records) {
        if (algorithm_of(candidate) != algorithm) continue;
        const std::int64_t radix = radix_of(shape, candidate);
        if (radix != 0 && (candidate == algorithm || candidate == with_radix(algorithm, radix)))
            radices.emplace(radix, record.estimate.ratio);
    }
    return radices;
}

std::int64_t between(std::int64_t a, std::int64_t b) {
    return std::llround(std::sqrt(static_cast<double>(a) * static_cast<double>(b)));
}

// On both sides of the best radix, halfway to the evaluated neighbour. Without a larger neighbour: halfway to
// the largest possible radix.
std::vector<std::int64_t> radices_to_try(const std::map<std::int64_t, double>& radices,
                                         std::int64_t largest) {
    const auto best = std::ranges::min_element(radices, {}, [](const auto& entry) { return entry.second; });
    std::set<std::int64_t> wanted;
    if (best != radices.begin()) wanted.insert(between(std::prev(best)->first, best->first));
    const std::int64_t above = std::next(best) == radices.end() ? largest : std::next(best)->first;
    wanted.insert(between(best->first, above));
    std::vector<std::int64_t> fresh;
    for (const std::int64_t radix : wanted)
        if (!radices.contains(radix)) fresh.push_back(radix);
    return fresh;
}

std::size_t coarse_radices(const Shape& shape, const std::string& algorithm) {
    const auto coarse = coarse_candidates_of(shape);
    return static_cast<std::size_t>(
        std::ranges::count(coarse, algorithm, [](const auto& text) { return algorithm_of(text); }));
}

// The algorithms that take a radix, best first.
std::vector<std::string> best_with_radix(const Shape& shape, const Records& records) {
    std::map<std::string, double> best;
    for (const auto& [candidate, record] : records) {
        if (radix_of(shape, candidate) == 0) continue;
        const auto [entry, is_new] = best.try_emplace(algorithm_of(candidate), record.estimate.ratio);
        if (!is_new) entry->second = std::min(entry->second, record.estimate.ratio);
    }
    std::vector<std::string> names;
    for (const auto& [name, ratio] : best) names.push_back(name);
    std::ranges::sort(names, {}, [&](const std::string& name) { return best[name]; });
    if (names.size() > refined_algorithms) names.resize(refined_algorithms);
    return names;
}

std::string best_of(const Records& records) {
    std::string best;
    for (const auto& [candidate, record] : records)
        if (best.empty() || record.estimate.ratio < ratio_of(records, best)) best = candidate;
    return best;
}

std::vector<std::string> missing(const std::vector<std::string>& wanted, const Records& records) {
    std::vector<std::string> missing;
    for (const std::string& candidate : wanted)
        if (!records.contains(candidate)) missing.push_back(candidate);
    return missing;
}

Records without_borders(const Records& all) {
    Records records;
    for (const auto& [candidate, record] : all)
        if (candidate == without_border(candidate)) records.emplace(candidate, record);
    return records;
}

// What to try next at a point, as if there were no borders.
std::vector<std::string> next_at(const Point& point, const Measurements& measurements) {
    const Records records = without_borders(measurements.at(point));
    std::vector<std::string> wanted = missing(coarse_candidates_of(point.shape), records);
    if (!wanted.empty()) return wanted;
    for (const std::string& algorithm : best_with_radix(point.shape, records)) {
        const auto radices = radices_of(point.shape, algorithm, records);
        if (radices.size() >= coarse_radices(point.shape, algorithm) + most_refined) continue;
        for (const auto radix : radices_to_try(radices, point.shape.ranks))
            wanted.push_back(with_radix(algorithm, radix));
    }
    if (!wanted.empty()) return wanted;
    const std::string best = best_of(records);
    const bool is_varied = std::ranges::count(best, ':') > 1;
    return is_varied || best.empty() ? wanted : missing(variations_of(point.shape, best), records);
}

bool is_due_for_borders(const Shape& shape, const std::vector<Point>& points,
                        const Measurements& measurements) {
    return std::ranges::all_of(points, [&](const Point& point) {
        return point.shape != shape || next_at(point, measurements).empty();
    });
}

} // namespace

std::vector<Work> next_evaluations(const std::vector<Point>& points, const Measurements& measurements) {
    std::vector<Work> works;
    for (const Point& point : points) {
        Work work;
        work.point = point;
        work.candidates = next_at(point, measurements);
        if (work.candidates.empty() && is_due_for_borders(point.shape, points, measurements))
            work.candidates = missing(combinations_for(point.shape, points, measurements, searched_settings),
                                      measurements.at(point));
        work.pass = measurements.last_pass(point) + 1;
        if (!work.candidates.empty()) works.push_back(std::move(work));
    }
    return works;
}

} // namespace switchyard::shim::tune
