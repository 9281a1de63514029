#include "series.hpp"

#include "palette.hpp"
#include "shim/report/read/places.hpp"

#include <algorithm>

namespace switchyard::shim::report {

std::vector<Series> series_of(const Profile& profile) {
    std::vector<Series> series;
    Places<std::string> places;
    for (std::uint32_t i = 0; i < profile.groups.size(); ++i) {
        const auto& group = profile.groups[i];
        const auto name = group.kind.collective + ' ' + group.kind.algorithm_text();
        const auto [place, is_new] = places.add(name);
        if (is_new) series.emplace_back().name = name;
        auto& found = series[place];
        found.calls += group.calls;
        found.time_us += profile.time_us(group);
        found.call_us.add(group.call_us);
        found.groups.push_back(i);
    }
    std::ranges::stable_sort(series, std::greater{}, &Series::time_us);
    if (series.size() <= series_colours + 1) return series;
    auto& rest = series[series_colours];
    for (std::size_t i = series_colours + 1; i < series.size(); ++i) {
        rest.calls += series[i].calls;
        rest.time_us += series[i].time_us;
        rest.call_us.add(series[i].call_us);
        rest.groups.insert(rest.groups.end(), series[i].groups.begin(), series[i].groups.end());
    }
    rest.name = std::to_string(series.size() - series_colours) + " others";
    series.resize(series_colours + 1);
    return series;
}

} // namespace switchyard::shim::report
