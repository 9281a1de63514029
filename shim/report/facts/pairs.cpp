#include "pairs.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::shim::report {

namespace {

double median_of(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 != 0) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

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

Spread spread_of(std::vector<double> values) {
    Spread spread{values.size(), median_of(values), 0};
    for (auto& value : values) value = std::abs(value - spread.median);
    spread.deviation = median_of(std::move(values));
    return spread;
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
    paired.ratio = spread_of(std::move(ratios));
    return paired;
}

bool ran_one_after_the_other(const Pool& a, const Pool& b) {
    if (a.runs.size() < 2 || b.runs.size() < 2) return false;
    return a.runs.back().started < b.runs.front().started || b.runs.back().started < a.runs.front().started;
}

} // namespace switchyard::shim::report
