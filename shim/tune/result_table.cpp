#include "result_table.hpp"

#include "refuse.hpp"
#include "shim/common/formatted.hpp"
#include "shim/report/text/text_table.hpp"

#include <algorithm>
#include <sstream>

namespace switchyard::shim::tune {

namespace {

struct Times {
    double native_us = 0, policy_us = 0, from_first = 0; // 0: not known
    Estimate estimate;
};

Times times_at(const Point& point, const Ruling* rule, const Measurements& measurements,
               const std::map<Point, Measurement>& verified) {
    if (const auto found = verified.find(point); found != verified.end()) {
        const Measurement& measured = found->second;
        return {measured.native_us, measured.median_us, measured.from_first,
                tune::estimate_of(measured.ratios, false)};
    }
    if (const Record* record = rule == nullptr ? nullptr : measurements.find(point, rule->candidate))
        return {record->native_us, record->median_us, 0, record->estimate};
    const auto& records = measurements.at(point); // of native's calls without rules
    return {records.empty() ? 0 : records.begin()->second.native_us, 0, 0, {}};
}

} // namespace

std::string table_of(const std::vector<Ruling>& rules, const std::vector<Point>& points,
                     const Measurements& measurements, const std::map<Point, Measurement>& verified) {
    const auto left = report::Align::left;
    report::TextTable table({{"collective", left},
                             {"ranks"},
                             {"nodes"},
                             {"block"},
                             {"native"},
                             {"policy"},
                             {"ratio"},
                             {"MAD"},
                             {"from first"},
                             {"algorithm", left}});
    const auto known = [](bool is_known, double value, const char* unit = "", int digits = 2) {
        return is_known ? formatted("{:.{}f}{}", value, digits, unit) : "-";
    };
    double native = 0, ours = 0;
    std::vector<Point> ascending = points;
    std::ranges::sort(ascending);
    for (const Point& point : ascending) {
        const Times times = times_at(point, ruling_over(rules, point), measurements, verified);
        const bool timed = says_something(times.estimate);
        native += point.weight * times.native_us;
        ours += point.weight * times.native_us * (timed ? times.estimate.ratio : 1);
        table.row({std::string(algorithms::name_of(point.shape.collective)),
                   std::to_string(point.shape.ranks), std::to_string(point.shape.nodes),
                   std::to_string(point.max_block), known(times.native_us > 0, times.native_us, " us", 1),
                   known(timed, times.policy_us, " us", 1), known(timed, times.estimate.ratio),
                   known(timed, times.estimate.spread), known(times.from_first > 0, times.from_first),
                   candidate_at(rules, point).words()});
    }
    std::ostringstream text;
    table.print(text);
    if (native > 0) text << formatted("all of them together: {:.2f} of native's time\n", ours / native);
    return text.str();
}

} // namespace switchyard::shim::tune
