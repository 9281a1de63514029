#include "samples.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace switchyard::shim::report {

void Samples::add(double value, std::uint64_t weight) {
    if (weight != 1 && weights_.empty()) weights_.assign(values_.size(), 1.0F);
    values_.push_back(static_cast<float>(value));
    if (weight != 1 || !weights_.empty()) weights_.push_back(static_cast<float>(weight));
}

void Samples::add(const Samples& others) {
    for (std::size_t i = 0; i < others.values_.size(); ++i)
        add(static_cast<double>(others.values_[i]),
            others.weights_.empty() ? 1 : static_cast<std::uint64_t>(others.weights_[i]));
}

double Samples::quantile(double share) const {
    if (values_.empty()) return 0;
    if (weights_.empty()) {
        auto values = values_;
        auto index = static_cast<std::ptrdiff_t>(std::ceil(share * static_cast<double>(values.size()))) - 1;
        auto place = values.begin() + std::clamp<std::ptrdiff_t>(index, 0, std::ssize(values) - 1);
        std::nth_element(values.begin(), place, values.end());
        return static_cast<double>(*place);
    }
    std::vector<std::size_t> order(values_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [this](std::size_t i) { return values_[i]; });
    const double all = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    double below = 0;
    for (const std::size_t i : order) {
        below += static_cast<double>(weights_[i]);
        if (below >= share * all) return static_cast<double>(values_[i]);
    }
    return static_cast<double>(values_[order.back()]);
}

double Samples::deviation() const {
    Samples distances;
    const double middle = median();
    for (std::size_t i = 0; i < values_.size(); ++i)
        distances.add(std::abs(static_cast<double>(values_[i]) - middle),
                      weights_.empty() ? 1 : static_cast<std::uint64_t>(weights_[i]));
    return distances.median();
}

} // namespace switchyard::shim::report
