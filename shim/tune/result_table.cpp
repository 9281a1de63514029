#include "result_table.hpp"

#include "candidates.hpp"
#include "refuse.hpp"
#include "shim/common/formatted.hpp"

#include <algorithm>

namespace switchyard::shim::tune {

std::string table_of(const std::vector<Ruling>& rules, const std::vector<Point>& points,
                     const Measurements& measurements, const std::map<Point, Measurement>& verified) {
    std::string text =
        formatted("{:<10} {:>6} {:>6} {:>9} {:>11} {:>11} {:>7} {:>6} {:>10}  {}\n", "collective", "ranks",
                  "nodes", "block", "native", "policy", "ratio", "MAD", "from first", "algorithm");
    double native = 0, ours = 0;
    std::vector<Point> ascending = points;
    std::ranges::sort(ascending);
    for (const Point& point : ascending) {
        const Ruling* rule = ruling_over(rules, point);
        const auto found = verified.find(point);
        const Record* record = rule == nullptr ? nullptr : measurements.find(point, rule->candidate);
        double native_us = 0, policy_us = 0, from_first = 0;
        Estimate estimate;
        if (found != verified.end()) {
            native_us = found->second.native_us;
            policy_us = found->second.median_us;
            from_first = found->second.from_first;
            estimate = estimate_of(found->second.ratios, false);
        } else if (record != nullptr) {
            native_us = record->native_us;
            policy_us = record->median_us;
            estimate = record->estimate;
        } else if (!measurements.at(point).empty()) { // native's calls, as measured without rules
            native_us = policy_us = measurements.at(point).begin()->second.native_us;
        }
        const bool timed = says_something(estimate);
        native += point.weight * native_us;
        ours += point.weight * native_us * (timed ? estimate.ratio : 1);
        text += formatted("{:<10} {:>6} {:>6} {:>9} {:>11} {:>11} {:>7} {:>6} {:>10}  {}\n",
                          algorithms::name_of(point.shape.collective), point.shape.ranks, point.shape.nodes,
                          point.max_block, native_us > 0 ? formatted("{:.1f} us", native_us) : "-",
                          timed ? formatted("{:.1f} us", policy_us) : "-",
                          timed ? formatted("{:.2f}", estimate.ratio) : "-",
                          timed ? formatted("{:.2f}", estimate.spread) : "-",
                          from_first > 0 ? formatted("{:.2f}", from_first) : "-",
                          rule == nullptr ? "native" : words_of(rule->candidate));
    }
    if (native > 0) text += formatted("all of them together: {:.2f} of native's time\n", ours / native);
    return text;
}

} // namespace switchyard::shim::tune
