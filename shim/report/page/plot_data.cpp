#include "plot_data.hpp"

#include "palette.hpp"
#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace switchyard::shim::report {

namespace {

using nlohmann::json;

constexpr double shortest_time = 1e-3; // a nanosecond: clocks tell no less, and a logarithmic axis has no 0

// More digits show nothing, and a page has thousands of numbers.
json nine_digits(double value) {
    return std::stod(formatted("{:.9g}", value));
}

double axis_time(double us) {
    return std::max(us, shortest_time);
}

std::vector<std::size_t> series_of_groups(const Profile& profile, const std::vector<Series>& series) {
    std::vector<std::size_t> places(profile.groups.size());
    for (std::size_t i = 0; i < series.size(); ++i)
        for (const auto group : series[i].groups) places[group] = i;
    return places;
}

// One list of points for each series.
using Points = std::vector<json>;

Points points_of_calls(const Profile& profile, const std::vector<std::size_t>& places, std::size_t series) {
    Points points(series, json::array());
    for (const auto& mark : profile.marks)
        points[places[mark.group]].push_back({nine_digits(mark.begin_us),
                                              nine_digits(axis_time(static_cast<double>(mark.call_us))),
                                              mark.group});
    return points;
}

// What calls are called, by the place of their group.
json names_of(const std::vector<CallGroup>& groups) {
    json names = json::array();
    for (const auto& group : groups)
        names.push_back({shown(group.kind.collective) + ' ' + shown(group.kind.algorithm_text()),
                         formatted("{}, blocks up to {}",
                                   text::plural(static_cast<std::uint64_t>(group.kind.ranks), "rank"),
                                   block_text(group.kind.block_bits))});
    return names;
}

json point_of_stretch(double at, const Samples& times) {
    return {nine_digits(at), nine_digits(axis_time(times.median())), times.size(),
            nine_digits(axis_time(times.quantile(0.05))), nine_digits(axis_time(times.quantile(0.95)))};
}

Points points_of_stretches(const Profile& profile, const std::vector<std::size_t>& places, std::size_t series,
                           double end_us) {
    const std::size_t stretches = most_points / series;
    const double length = end_us / static_cast<double>(stretches);
    std::vector<std::vector<Samples>> times(series, std::vector<Samples>(stretches));
    for (const auto& mark : profile.marks) {
        const auto stretch = static_cast<std::size_t>(std::max(0.0, mark.begin_us) / length);
        times[places[mark.group]][std::min(stretch, stretches - 1)].add(static_cast<double>(mark.call_us));
    }
    Points points(series, json::array());
    for (std::size_t i = 0; i < series; ++i)
        for (std::size_t n = 0; n < stretches; ++n) {
            // Inside a stretch the series stand side by side, so the last does not hide the other series.
            const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(series);
            if (!times[i][n].empty())
                points[i].push_back(point_of_stretch((static_cast<double>(n) + place) * length, times[i][n]));
        }
    return points;
}

// Inside a script element only `<` can end it, or turn what follows into a comment.
std::string for_script_element(const json& data) {
    std::string text;
    for (const char c : data.dump(-1, ' ', true, json::error_handler_t::replace))
        c == '<' ? text += "\\u003c" : text += c;
    return text;
}

} // namespace

std::string plot_data(const Profile& profile, const std::vector<Series>& series) {
    double end_us = std::max(1.0, profile.wall_us()), shortest = 1e300, longest = shortest_time;
    for (const auto& mark : profile.marks) {
        end_us = std::max(end_us, mark.begin_us);
        shortest = std::min(shortest, axis_time(static_cast<double>(mark.call_us)));
        longest = std::max(longest, static_cast<double>(mark.call_us));
    }
    // From one power of ten to another.
    const double first = std::floor(std::log10(shortest));
    const double last = std::clamp(std::ceil(std::log10(longest)), first + 1, 300.0);
    const auto places = series_of_groups(profile, series);
    const bool has_calls = profile.marks.size() <= most_points;
    auto points = has_calls ? points_of_calls(profile, places, series.size())
                            : points_of_stretches(profile, places, series.size(), end_us);
    json all = json::array();
    for (std::size_t i = 0; i < series.size(); ++i)
        all.push_back({{"name", shown(series[i].name)},
                       {"colour", series_colour(i)},
                       {"mark", series_mark(i)},
                       {"points", std::move(points[i])}});
    return for_script_element({{"end", nine_digits(end_us)},
                               {"range", {std::pow(10, first), std::pow(10, last)}},
                               {"series", std::move(all)},
                               {"kinds", has_calls ? names_of(profile.groups) : json::array()}});
}

} // namespace switchyard::shim::report
