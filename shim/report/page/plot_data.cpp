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

// The range of the calls' times, from one power of ten to another.
class Decades {
  public:
    void add(double us) {
        shortest_ = std::min(shortest_, axis_time(us));
        longest_ = std::max(longest_, axis_time(us));
    }
    json ends() const {
        const double first = std::floor(std::log10(shortest_));
        const double last = std::max(std::ceil(std::log10(longest_)), first + 1);
        return {std::pow(10, first), std::pow(10, std::min(last, 300.0))};
    }

  private:
    double shortest_ = 1e300, longest_ = shortest_time;
};

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
    for (const auto& mark : profile.marks) {
        const auto& kind = profile.groups[mark.group].kind;
        const auto time = static_cast<double>(mark.call_us);
        points[places[mark.group]].push_back(
            {nine_digits(mark.begin_us), nine_digits(axis_time(time)),
             formatted("{} {}\n{} at {}\n{}, blocks up to {}", shown(kind.collective),
                       shown(kind.algorithm_text()), time_text(time), time_text(mark.begin_us),
                       text::plural(static_cast<std::uint64_t>(kind.ranks), "rank"),
                       block_text(kind.block_bits))});
    }
    return points;
}

json point_of_stretch(double at, const std::string& name, const Samples& times) {
    const double low = times.quantile(0.05), middle = times.median(), high = times.quantile(0.95);
    return {nine_digits(at), nine_digits(axis_time(middle)),
            formatted("{}\n{}, median {}\n5% below {}, 95% below {}", shown(name),
                      text::plural(times.size(), "call"), time_text(middle), time_text(low), time_text(high)),
            nine_digits(axis_time(low)), nine_digits(axis_time(high))};
}

Points points_of_stretches(const Profile& profile, const std::vector<std::size_t>& places,
                           const std::vector<Series>& series, double end_us) {
    const std::size_t stretches = most_points / series.size();
    const double length = end_us / static_cast<double>(stretches);
    std::vector<std::vector<Samples>> times(series.size(), std::vector<Samples>(stretches));
    for (const auto& mark : profile.marks) {
        const auto stretch = static_cast<std::size_t>(std::max(0.0, mark.begin_us) / length);
        times[places[mark.group]][std::min(stretch, stretches - 1)].add(static_cast<double>(mark.call_us));
    }
    Points points(series.size(), json::array());
    for (std::size_t i = 0; i < series.size(); ++i)
        for (std::size_t n = 0; n < stretches; ++n) {
            // Inside a stretch the series stand side by side, so the last does not hide the other series.
            const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(series.size());
            if (!times[i][n].empty())
                points[i].push_back(
                    point_of_stretch((static_cast<double>(n) + place) * length, series[i].name, times[i][n]));
        }
    return points;
}

json timeline(const Profile& profile, const std::vector<Series>& series) {
    double end_us = std::max(1.0, profile.wall_us());
    Decades decades;
    for (const auto& mark : profile.marks) {
        end_us = std::max(end_us, mark.begin_us);
        decades.add(static_cast<double>(mark.call_us));
    }
    const auto places = series_of_groups(profile, series);
    auto points = profile.marks.size() <= most_points ? points_of_calls(profile, places, series.size())
                                                      : points_of_stretches(profile, places, series, end_us);
    json all = json::array();
    for (std::size_t i = 0; i < series.size(); ++i)
        all.push_back(
            {{"colour", series_colour(i)}, {"mark", series_mark(i)}, {"points", std::move(points[i])}});
    return {{"end", nine_digits(end_us)}, {"range", decades.ends()}, {"series", std::move(all)}};
}

json cells_of(unsigned bits, const std::vector<std::string>& collectives,
              const std::vector<Sizes::Part>& parts) {
    json calls = json::array(), times = json::array();
    auto text = "blocks up to " + block_text(bits);
    for (std::size_t i = 0; i < collectives.size(); ++i) {
        const auto part = i < parts.size() ? parts[i] : Sizes::Part{};
        calls.push_back(part.calls);
        times.push_back(nine_digits(part.time_us));
        if (part.calls > 0)
            text += formatted("\n{}: {}, {}", shown(collectives[i]), text::plural(part.calls, "call"),
                              time_text(part.time_us));
    }
    return {{"bits", bits}, {"label", block_text(bits)}, {"text", text}, {"calls", calls}, {"times", times}};
}

json histogram(const Sizes& sizes) {
    json colours = json::array(), columns = json::array();
    for (std::size_t i = 0; i < sizes.collectives.size(); ++i) colours.push_back(series_colour(i));
    for (unsigned bits = sizes.blocks.begin()->first; bits <= sizes.blocks.rbegin()->first; ++bits) {
        const auto found = sizes.blocks.find(bits);
        columns.push_back(cells_of(bits, sizes.collectives,
                                   found != sizes.blocks.end() ? found->second : std::vector<Sizes::Part>{}));
    }
    return {{"colours", colours}, {"columns", columns}};
}

// `pair 3`, then its figures. A run without a partner stands alone.
std::string text_of_pair(std::size_t place, const std::vector<double>& a, const std::vector<double>& b) {
    const bool has_a = place < a.size(), has_b = place < b.size();
    auto text = formatted("{} {}", has_a && has_b ? "pair" : "run", place + 1);
    if (has_a) text += "\nA " + time_text(a[place]);
    if (has_b) text += "\nB " + time_text(b[place]);
    if (has_a && has_b) text += formatted("\nB/A {:.2f}", b[place] / a[place]);
    return text;
}

json pairs_plot(const PairsPlot& plot) {
    const auto& [a, b] = plot.paired->values;
    const auto or_null = [](const std::vector<double>& values, std::size_t place) {
        return place < values.size() ? nine_digits(values[place]) : json();
    };
    json values = json::array(), texts = json::array();
    for (std::size_t i = 0; i < std::min(std::max(a.size(), b.size()), most_points / 2); ++i) {
        values.push_back({or_null(a, i), or_null(b, i)});
        texts.push_back(text_of_pair(i, a, b));
    }
    return {{"id", plot.id}, {"values", values}, {"texts", texts}};
}

// Inside a script element only `<` can end it, or turn what follows into a comment.
std::string for_script_element(const json& data) {
    std::string text;
    for (const char c : data.dump(-1, ' ', true, json::error_handler_t::replace))
        c == '<' ? text += "\\u003c" : text += c;
    return text;
}

} // namespace

std::string plot_data(const Profile& profile, const std::vector<Series>& series, const Sizes& sizes) {
    json data = {{"sizes", histogram(sizes)}};
    if (!profile.run.summary) data["timeline"] = timeline(profile, series);
    return for_script_element(data);
}

std::string plot_data(const std::vector<PairsPlot>& plots) {
    if (plots.empty()) return "";
    json pairs = json::array();
    for (const auto& plot : plots) pairs.push_back(pairs_plot(plot));
    return for_script_element(
        {{"pairs", {{"colours", {series_colour(0), series_colour(1)}}, {"plots", pairs}}}});
}

} // namespace switchyard::shim::report
