#include "palette.hpp"
#include "plots.hpp"
#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "shim/report/read/places.hpp"
#include "svg.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace switchyard::shim::report {

namespace {

constexpr double row_height = 38, cells_top = 10, cells_right = plot_width - 14, smallest_cell = 46,
                 largest_cell = 84;
constexpr std::size_t most_rows = 24, longest_name = 44;

struct HeatCell {
    std::uint64_t calls = 0;
    Samples call_us;
};

struct HeatRow {
    std::string collective, algorithm;
    int ranks = 0;
    double time_us = 0;
    std::map<unsigned, HeatCell> cells; // by block
};

std::vector<HeatRow> rows_of(const Profile& profile) {
    std::vector<HeatRow> rows;
    Places<std::tuple<std::string, std::string, int>> places;
    for (const auto& group : profile.groups) {
        const auto& kind = group.kind;
        const auto [place, is_new] = places.add({kind.collective, kind.algorithm_text(), kind.ranks});
        if (is_new) rows.push_back({kind.collective, kind.algorithm_text(), kind.ranks, 0, {}});
        auto& row = rows[place];
        auto& cell = row.cells[kind.block_bits];
        cell.calls += group.calls;
        cell.call_us.add(group.call_us);
        row.time_us += profile.time_us(group);
    }
    std::ranges::stable_sort(rows, std::greater{}, &HeatRow::time_us);
    if (rows.size() > most_rows) rows.resize(most_rows);
    // Comparable rows stand side by side.
    std::ranges::stable_sort(rows, [](const HeatRow& a, const HeatRow& b) {
        return std::tie(a.collective, b.ranks) < std::tie(b.collective, a.ranks);
    });
    return rows;
}

struct Scale {
    double shortest = 0, longest = 0; // logarithms
    double place(double us) const {
        return longest > shortest ? (std::log10(std::max(us, 1e-3)) - shortest) / (longest - shortest) : 0.5;
    }
};

Scale scale_of(const std::vector<HeatRow>& rows) {
    Scale scale{1e9, -1e9};
    for (const auto& row : rows)
        for (const auto& [bits, cell] : row.cells) {
            const double time = std::log10(std::max(cell.call_us.median(), 1e-3));
            scale.shortest = std::min(scale.shortest, time);
            scale.longest = std::max(scale.longest, time);
        }
    return scale;
}

void draw_scale(Svg& svg, const Scale& scale, double x, double y) {
    constexpr int steps = 40;
    constexpr double width = 200, thickness = 10;
    for (int i = 0; i < steps; ++i)
        svg.rect(x + width / steps * i, y, width / steps + 0.4, thickness, ramp((i + 0.5) / steps));
    svg.text(x - 8, y + 9, short_time_text(std::pow(10, scale.shortest)), Anchor::end, 11);
    svg.text(x + width + 8, y + 9, short_time_text(std::pow(10, scale.longest)), Anchor::start, 11);
}

void draw_row(Svg& svg, const HeatRow& row, double y, double left, double width, unsigned first,
              const Scale& scale) {
    svg.text(left - 10, y + 16, shown(row.algorithm, longest_name), Anchor::end, 12, ink);
    svg.text(left - 10, y + 30,
             formatted("{}, {}", row.collective, text::plural(static_cast<std::uint64_t>(row.ranks), "rank")),
             Anchor::end, 10.5, muted);
    for (const auto& [bits, cell] : row.cells) {
        const double median = cell.call_us.median(), place = scale.place(median);
        const double x = left + width * (bits - first);
        svg.rect(x + 1, y + 1, width - 2, row_height - 2, ramp(place),
                 formatted("{} {}, {} ranks\nblocks up to {}\n{} calls, median {}, p95 {}", row.collective,
                           row.algorithm, row.ranks, block_text(bits), cell.calls, time_text(median),
                           time_text(cell.call_us.quantile(0.95))));
        svg.text(x + width / 2, y + 17, short_time_text(median), Anchor::middle, 11, ink_on_ramp(place),
                 "600");
        svg.text(x + width / 2, y + 30, count_text(cell.calls), Anchor::middle, 9.5, ink_on_ramp(place));
    }
}

} // namespace

std::string heat_map_plot(const Profile& profile) {
    const auto rows = rows_of(profile);
    unsigned first = 64, last = 0;
    double left = 120;
    for (const auto& row : rows) {
        first = std::min(first, row.cells.begin()->first);
        last = std::max(last, row.cells.rbegin()->first);
        left = std::max(left, 16 + text_pixels(shown(row.algorithm, longest_name), 12));
    }
    const double columns = last - first + 1;
    const double width = std::clamp((cells_right - left) / columns, smallest_cell, largest_cell);
    const double bottom = cells_top + row_height * static_cast<double>(rows.size());
    Svg svg(std::max(plot_width, left + width * columns + 14), bottom + 64,
            "Median time and number of calls by block and algorithm");
    for (unsigned bits = first; bits <= last; ++bits) {
        const double x = left + width * (bits - first);
        svg.rect(x + 1, cells_top + 1, width - 2, bottom - cells_top - 2, nothing);
        svg.text(x + width / 2, bottom + 16, block_text(bits), Anchor::middle, 10.5);
    }
    const auto scale = scale_of(rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
        draw_row(svg, rows[i], cells_top + row_height * static_cast<double>(i), left, width, first, scale);
    svg.text(left - 10, bottom + 16, "largest block, up to", Anchor::end, 10.5);
    draw_scale(svg, scale, left + 60, bottom + 38);
    svg.text(left - 10, bottom + 47, "median time of a call", Anchor::end, 10.5);
    return svg.finish();
}

} // namespace switchyard::shim::report
