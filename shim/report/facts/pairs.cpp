#include "pairs.hpp"

#include "shim/bench/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::shim::report {

namespace {

std::vector<double> known(const Pool& pool, Figure figure) {
    std::vector<double> values;
    for (const auto& run : pool.runs)
        if (run.*figure > 0) values.push_back(run.*figure);
    return values;
}

// The probability that at least `heads` of `tosses` tosses are heads.
double at_least(std::size_t heads, std::size_t tosses) {
    double probability = 0;
    for (auto k = heads; k <= tosses; ++k) {
        const auto n = static_cast<double>(tosses), of = static_cast<double>(k);
        probability +=
            std::exp(std::lgamma(n + 1) - std::lgamma(of + 1) - std::lgamma(n - of + 1) - n * std::log(2.0));
    }
    return probability;
}

} // namespace

Spread spread_of(const std::vector<double>& values) {
    return {values.size(), bench::median(values), bench::median_absolute_deviation(values)};
}

double Paired::chance() const {
    const auto undecided_left_out = faster + slower;
    return std::min(1.0, 2 * at_least(std::max(faster, slower), undecided_left_out));
}

Paired paired(const Pool& a, const Pool& b, Figure figure) {
    Paired paired;
    paired.values = {known(a, figure), known(b, figure)};
    const auto& [of_a, of_b] = paired.values;
    paired.sides = {spread_of(of_a), spread_of(of_b)};
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(of_a.size(), of_b.size()); ++i) {
        ratios.push_back(of_b[i] / of_a[i]);
        paired.faster += of_b[i] < of_a[i] ? 1 : 0;
        paired.slower += of_b[i] > of_a[i] ? 1 : 0;
    }
    if (!ratios.empty()) {
        const auto [least, largest] = std::ranges::minmax(ratios);
        paired.least_ratio = least;
        paired.largest_ratio = largest;
    }
    paired.ratio = spread_of(ratios);
    return paired;
}

bool ran_one_after_the_other(const Pool& a, const Pool& b) {
    if (a.runs.size() < 2 || b.runs.size() < 2) return false;
    return a.runs.back().started < b.runs.front().started || b.runs.back().started < a.runs.front().started;
}

} // namespace switchyard::shim::report
