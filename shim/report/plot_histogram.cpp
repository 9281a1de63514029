#include "palette.hpp"
#include "places.hpp"
#include "plots.hpp"
#include "shim/common/formatted.hpp"
#include "svg.hpp"
#include "units.hpp"

#include <algorithm>
#include <map>

namespace switchyard::shim::report {

namespace {

constexpr double height = 330, left = 66, right = plot_width - 14, panel_height = 110, first_panel = 26,
                 second_panel = 176;

// By block, by collective.
using Bars = std::map<unsigned, std::vector<double>>;

double sum_of(const std::vector<double>& parts) {
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
}

struct Columns {
    unsigned first, last;
    double width() const { return (right - left) / (last - first + 1); }
    double left_of(unsigned bits) const { return left + width() * (bits - first); }
};

void draw_panel(Svg& svg, double top, const char* title, const Bars& bars, const Columns& columns,
                const std::vector<std::string>& collectives, std::string (*label)(double)) {
    double most = 0;
    for (const auto& [bits, parts] : bars) most = std::max(most, sum_of(parts));
    const double base = top + panel_height, gap = std::min(6.0, 0.15 * columns.width());
    const double width = std::min(64.0, columns.width() - gap);
    svg.text(left, top - 12, title, Anchor::start, 12, ink, "600");
    svg.line(left, base, right, base, muted);
    for (const auto& [bits, parts] : bars) {
        const double x = columns.left_of(bits) + (columns.width() - width) / 2;
        double y = base;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (parts[i] <= 0) continue;
            const double part = std::max(1.0, (panel_height - 14) * parts[i] / most);
            y -= part;
            svg.rect(x, y, width, part, series_colour(i),
                     formatted("{}, blocks up to {}: {}", collectives[i], block_text(bits), label(parts[i])));
        }
        svg.text(x + width / 2, y - 4, label(sum_of(parts)), Anchor::middle, columns.width() < 56 ? 9 : 11);
    }
}

std::string calls_label(double calls) {
    return count_text(static_cast<std::uint64_t>(calls));
}

} // namespace

std::vector<std::string> collectives_of(const Profile& profile) {
    std::vector<std::string> collectives;
    Places<std::string> places;
    for (const auto& group : profile.groups)
        if (places.add(group.kind.collective).second) collectives.push_back(group.kind.collective);
    return collectives;
}

std::string histogram_plot(const Profile& profile) {
    const auto collectives = collectives_of(profile);
    Places<std::string> places;
    Bars calls, times;
    for (const auto& group : profile.groups) {
        const auto place = places.add(group.kind.collective).first; // in the order of collectives_of
        for (auto* bars : {&calls, &times}) (*bars)[group.kind.block_bits].resize(collectives.size());
        calls[group.kind.block_bits][place] += static_cast<double>(group.calls);
        times[group.kind.block_bits][place] += profile.time_us(group);
    }
    const Columns columns{calls.begin()->first, calls.rbegin()->first};
    Svg svg(plot_width, height, "Calls and their time by the size of the largest block");
    draw_panel(svg, first_panel, "Calls", calls, columns, collectives, calls_label);
    draw_panel(svg, second_panel, "Time of the average rank", times, columns, collectives, short_time_text);
    for (unsigned bits = columns.first; bits <= columns.last; ++bits)
        svg.text(columns.left_of(bits) + columns.width() / 2, second_panel + panel_height + 17,
                 block_text(bits), Anchor::middle, columns.width() < 56 ? 9 : 11);
    svg.text((left + right) / 2, height - 6, "largest block, up to", Anchor::middle);
    return svg.finish();
}

} // namespace switchyard::shim::report
