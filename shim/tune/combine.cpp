#include "combine.hpp"

#include "candidates.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace switchyard::shim::tune {

using algorithms::Parameter;

namespace {

// What each setting with its best border saves at a point, as a share of native's time. The time of the
// agreement does not count.
std::map<Candidate, double> saved_at(const Point& point, const Measurements& measurements) {
    std::map<Candidate, double> saved;
    for (const auto& [candidate, record] : measurements.at(point)) {
        if (!candidate.takes(Parameter::direct_from)) continue;
        const double agreed = candidate.needs_agreement() ? measurements.agreement(point) : 0;
        const double ratio = record.estimate.ratio - agreed;
        double& most = saved[candidate.without(Parameter::direct_from)];
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

std::vector<Candidate> best_settings(const Shape& shape, const std::vector<Point>& points,
                                     const Measurements& measurements) {
    std::map<Candidate, double> saved;
    for (const Point& point : points)
        if (point.shape == shape)
            for (const auto& [setting, share] : saved_at(point, measurements))
                saved[setting] += point.weight * share;
    std::vector<std::pair<Candidate, double>> descending(saved.begin(), saved.end());
    std::ranges::stable_sort(descending, [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<Candidate> best;
    for (const auto& [setting, share] : descending) {
        const bool is_first =
            std::ranges::find(best, setting.algorithm(), &Candidate::algorithm) == best.end();
        if (share > 0 && is_first) best.push_back(setting);
    }
    return best;
}

std::vector<Candidate> combinations_for(const Shape& shape, const std::vector<Point>& points,
                                        const Measurements& measurements) {
    constexpr std::size_t most_settings = 3;
    auto settings = best_settings(shape, points, measurements);
    if (settings.size() > most_settings) settings.resize(most_settings);
    std::vector<Candidate> combinations;
    for (const Candidate& setting : settings)
        for (Candidate& candidate :
             combinations_of(shape, setting, largest_block_of(shape, points, measurements)))
            combinations.push_back(std::move(candidate));
    return combinations;
}

} // namespace switchyard::shim::tune
