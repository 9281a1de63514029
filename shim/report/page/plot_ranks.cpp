#include "axis.hpp"
#include "palette.hpp"
#include "plots.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "svg.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::shim::report {

namespace {

constexpr double rows_left = 66, rows_right = plot_width - 130, rows_top = 10, totals_left = plot_width - 118;

// The largest difference from the mean in any field, as a part of a stretch of time.
double largest_difference(const RankPicture& picture) {
    double largest = 0;
    for (const auto& row : picture.rows)
        for (std::size_t i = 0; i < row.slot_us.size(); ++i)
            largest = std::max(largest, std::abs(row.slot_us[i] - picture.mean_us[i]));
    return largest / picture.slot_length_us;
}

void draw_row(Svg& svg, const RankPicture& picture, const RankPicture::Row& row, double y, double height,
              double largest) {
    const double width = (rows_right - rows_left) / static_cast<double>(row.slot_us.size());
    const auto name = row.name();
    if (height >= 11) svg.text(rows_left - 8, y + height / 2 + 4, name, Anchor::end, 11);
    for (std::size_t i = 0; i < row.slot_us.size(); ++i) {
        const double here = row.slot_us[i] / picture.slot_length_us;
        const double difference = (row.slot_us[i] - picture.mean_us[i]) / picture.slot_length_us;
        if (row.slot_us[i] <= 0 && picture.mean_us[i] <= 0) continue; // no calls: the background shows
        svg.rect(
            rows_left + width * static_cast<double>(i), y, width, height - 1,
            two_sided_ramp(largest > 0 ? difference / largest : 0),
            formatted(
                "rank {}, {} to {}\n{:.1f}% of it in collectives; {:+.1f} points more than the average rank",
                name, time_text(picture.slot_length_us * static_cast<double>(i)),
                time_text(picture.slot_length_us * static_cast<double>(i + 1)), 100 * here,
                100 * difference));
    }
    if (height >= 11) svg.text(totals_left, y + height / 2 + 4, time_text(row.total_us), Anchor::start, 11);
}

// Ticks, their times and a title, `below` being the lower edge of the plot.
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

void draw_scale(Svg& svg, double y, double largest) {
    constexpr int steps = 40;
    constexpr double width = 220, middle = (rows_left + rows_right) / 2;
    for (int i = 0; i < steps; ++i)
        svg.rect(middle - width / 2 + width / steps * i, y, width / steps + 0.4, 10,
                 two_sided_ramp(2 * (i + 0.5) / steps - 1));
    svg.frame(middle - width / 2, y, width, 10, rule_line);
    svg.text(middle - width / 2 - 8, y + 9, formatted("{:.0f} points less: others waited", 100 * largest),
             Anchor::end, 11);
    svg.text(middle + width / 2 + 8, y + 9, formatted("{:.0f} points more: it waited", 100 * largest),
             Anchor::start, 11);
}

} // namespace

std::string ranks_plot(const RankPicture& picture) {
    const double height = std::clamp(480.0 / static_cast<double>(picture.rows.size()), 12.0, 26.0);
    const double bottom = rows_top + height * static_cast<double>(picture.rows.size());
    const double end_us = picture.slot_length_us * static_cast<double>(rank_slots);
    Svg svg(plot_width, bottom + 84,
            "Time of each rank in collectives, compared with the average rank, over the run");
    svg.rect(rows_left, rows_top, rows_right - rows_left, bottom - rows_top, nothing);
    const double largest = largest_difference(picture);
    for (std::size_t i = 0; i < picture.rows.size(); ++i)
        draw_row(svg, picture, picture.rows[i], rows_top + height * static_cast<double>(i), height, largest);
    draw_time_axis(svg, Axis(0, end_us, rows_left, rows_right), bottom, end_us);
    svg.text(totals_left, bottom + 19, "in collectives", Anchor::start, 11);
    svg.upright_text(14, (rows_top + bottom) / 2, "rank");
    draw_scale(svg, bottom + 56, largest);
    return svg.finish();
}

} // namespace switchyard::shim::report
