#include "combine.hpp"

#include "candidates.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace switchyard::shim::tune {

namespace {

// What each setting with its best border saves at a point, as a share of native's time. The time of the
// agreement does not count.
std::map<std::string, double> saved_at(const Point& point, const Measurements& measurements) {
    std::map<std::string, double> saved;
    for (const auto& [candidate, record] : measurements.at(point)) {
        if (!takes_border(point.shape, candidate)) continue;
        const bool agrees = needs_agreement(point.shape.collective, candidate);
        const double ratio = record.estimate.ratio - (agrees ? measurements.agreement(point) : 0);
        double& most = saved[without_border(candidate)];
        most = std::max(most, 1 - ratio);
    }
    return saved;
}

std::size_t largest_block_of(const Shape& shape, const std::vector<Point>& points,
                             const Measurements& measurements) {
    std::size_t largest = 0;
    for (const Point& point : points)
        if (point.shape == shape)
            largest = std::max({largest, point.max_block, measurements.largest_block(point)});
    return largest;
}

} // namespace

std::vector<std::string> best_settings(const Shape& shape, const std::vector<Point>& points,
                                       const Measurements& measurements) {
    std::map<std::string, double> saved;
    for (const Point& point : points)
        if (point.shape == shape)
            for (const auto& [setting, share] : saved_at(point, measurements))
                saved[setting] += point.weight * share;
    std::vector<std::pair<std::string, double>> descending(saved.begin(), saved.end());
    std::ranges::stable_sort(descending, [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> best;
    for (const auto& [setting, share] : descending) {
        const auto of_same_algorithm = [&, name = algorithm_of(setting)](const std::string& other) {
            return algorithm_of(other) == name;
        };
        if (share > 0 && std::ranges::none_of(best, of_same_algorithm)) best.push_back(setting);
    }
    return best;
}

std::vector<std::string> combinations_for(const Shape& shape, const std::vector<Point>& points,
                                          const Measurements& measurements, std::size_t settings) {
    const std::size_t largest_block = largest_block_of(shape, points, measurements);
    std::vector<std::string> combinations;
    for (const std::string& setting : best_settings(shape, points, measurements)) {
        if (settings-- == 0) break;
        const auto texts = combinations_of(shape, setting, largest_block);
        combinations.insert(combinations.end(), texts.begin(), texts.end());
    }
    return combinations;
}

std::size_t most_combinations(const Shape& shape, const std::vector<Point>& points,
                              const Measurements& measurements, std::size_t settings) {
    const std::size_t largest_block = largest_block_of(shape, points, measurements);
    std::set<std::string> algorithms;
    for (const std::string& candidate : candidates_of(shape))
        if (takes_border(shape, candidate)) algorithms.insert(algorithm_of(candidate));
    std::multiset<std::size_t, std::greater<>> numbers; // the presets have the most radices around them
    for (const std::string& algorithm : algorithms)
        numbers.insert(combinations_of(shape, algorithm, largest_block).size());
    const auto end =
        std::next(numbers.begin(), static_cast<std::ptrdiff_t>(std::min(settings, numbers.size())));
    return std::accumulate(numbers.begin(), end, std::size_t{0});
}

} // namespace switchyard::shim::tune
