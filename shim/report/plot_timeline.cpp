#include "palette.hpp"
#include "plots.hpp"
#include "shim/common/formatted.hpp"
#include "svg.hpp"
#include "units.hpp"

#include <algorithm>

namespace switchyard::shim::report {

namespace {

constexpr double height = 340, left = 66, right = plot_width - 14, top = 10, bottom = height - 44;
constexpr std::size_t most_marks = 2000;

struct Extent {
    double shortest = 0, longest = 0, end_us = 1;
};

Extent extent_of(const Profile& profile) {
    Extent extent;
    extent.end_us = std::max(1.0, profile.wall_us());
    for (const auto& mark : profile.marks) {
        const auto time = static_cast<double>(mark.call_us);
        extent.longest = std::max(extent.longest, time);
        if (time > 0 && (extent.shortest == 0 || time < extent.shortest)) extent.shortest = time;
        extent.end_us = std::max(extent.end_us, mark.begin_us);
    }
    return extent;
}

void draw_axes(Svg& svg, const Axis& x, const Axis& y, double end_us) {
    for (const double tick : y.ticks(7)) {
        svg.line(left, y.pixel(tick), right, y.pixel(tick), rule_line);
        svg.text(left - 8, y.pixel(tick) + 4,
                 tick < 1     ? formatted("{:g} ns", tick * 1000)
                 : tick < 1e3 ? formatted("{:g} us", tick)
                 : tick < 1e6 ? formatted("{:g} ms", tick / 1e3)
                              : formatted("{:g} s", tick / 1e6),
                 Anchor::end);
    }
    svg.line(left, bottom, right, bottom, muted);
    draw_time_axis(svg, x, bottom, end_us);
    svg.upright_text(12, (top + bottom) / 2, "time of a call");
}

std::vector<std::size_t> series_of_groups(const Profile& profile, const std::vector<Series>& series) {
    std::vector<std::size_t> places(profile.groups.size());
    for (std::size_t i = 0; i < series.size(); ++i)
        for (const auto group : series[i].groups) places[group] = i;
    return places;
}

void draw_calls(Svg& svg, const Profile& profile, const Axis& x, const Axis& y,
                const std::vector<std::size_t>& places) {
    for (const auto& mark : profile.marks) {
        const auto& kind = profile.groups[mark.group].kind;
        const auto time = static_cast<double>(mark.call_us);
        svg.marker(
            places[mark.group], x.pixel(mark.begin_us), y.pixel(time), 3, series_colour(places[mark.group]),
            formatted("{} {}\n{} at {}\n{} ranks, blocks up to {}", kind.collective, kind.algorithm_text(),
                      time_text(time), time_text(mark.begin_us), kind.ranks, block_text(kind.block_bits)));
    }
}

// One stretch of time, one series.
void draw_stretch(Svg& svg, const Axis& y, double at, std::size_t place, const Series& series,
                  const Samples& times) {
    const double low = times.quantile(0.05), middle = times.median(), high = times.quantile(0.95);
    svg.line(at, y.pixel(low), at, y.pixel(high), series_colour(place), 2, 0.4);
    svg.marker(place, at, y.pixel(middle), 2.6, series_colour(place),
               formatted("{}\n{} calls, median {}\n5% below {}, 95% below {}", series.name, times.size(),
                         time_text(middle), time_text(low), time_text(high)));
}

void draw_stretches(Svg& svg, const Profile& profile, const std::vector<Series>& series, const Axis& x,
                    const Axis& y, const std::vector<std::size_t>& places, double end_us) {
    const std::size_t stretches = std::min<std::size_t>(120, most_marks / 2 / series.size());
    const double length = end_us / static_cast<double>(stretches);
    std::vector<std::vector<Samples>> times(series.size(), std::vector<Samples>(stretches));
    for (const auto& mark : profile.marks) {
        const auto stretch = static_cast<std::size_t>(std::max(0.0, mark.begin_us) / length);
        times[places[mark.group]][std::min(stretch, stretches - 1)].add(static_cast<double>(mark.call_us));
    }
    // Inside a stretch the series stand side by side, so that the last does not hide the others.
    const auto place_in_stretch = [&](std::size_t i) {
        return (static_cast<double>(i) + 0.5) / static_cast<double>(series.size());
    };
    for (std::size_t i = series.size(); i-- > 0;) // the series with the most time is on top
        for (std::size_t n = 0; n < stretches; ++n)
            if (!times[i][n].empty())
                draw_stretch(svg, y, x.pixel((static_cast<double>(n) + place_in_stretch(i)) * length), i,
                             series[i], times[i][n]);
}

} // namespace

void draw_time_axis(Svg& svg, const Axis& x, double below, double end_us) {
    const bool short_run = end_us < 1e6;
    for (const double tick : x.ticks(8)) {
        svg.line(x.pixel(tick), below, x.pixel(tick), below + 5, muted);
        svg.text(x.pixel(tick), below + 19, formatted("{:g}", tick / (short_run ? 1e3 : 1e6)),
                 Anchor::middle);
    }
    svg.text((x.pixel(0) + x.pixel(end_us)) / 2, below + 37,
             short_run ? "since the run's start, ms" : "since the run's start, s", Anchor::middle);
}

std::string timeline_plot(const Profile& profile, const std::vector<Series>& series) {
    const auto extent = extent_of(profile);
    const auto x = Axis::linear(0, extent.end_us, left, right);
    const auto y = Axis::logarithmic(extent.shortest, extent.longest, bottom, top);
    Svg svg(plot_width, height, "Time of each call over the run");
    draw_axes(svg, x, y, extent.end_us);
    const auto places = series_of_groups(profile, series);
    if (profile.marks.size() <= most_marks)
        draw_calls(svg, profile, x, y, places);
    else
        draw_stretches(svg, profile, series, x, y, places, extent.end_us);
    return svg.finish();
}

} // namespace switchyard::shim::report
