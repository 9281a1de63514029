#include "map_plot.hpp"

#include "markup.hpp"
#include "palette.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "svg_parts.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::shim::report {

namespace {

// In pixels.
constexpr std::size_t map_left = 76, map_top = 62, legend_line = 20;
constexpr double field_width = 50, field_height = 34; // of a step between neighbours, on average
constexpr std::size_t narrowest_for_text = 34, lowest_for_two_lines = 28;

// A logarithmic axis whose values have fields around them: a field ends halfway to the next value.
class LogAxis {
  public:
    template <typename Value>
    LogAxis(const std::vector<Value>& values, double step) {
        std::vector<double> logs;
        for (const Value value : values) logs.push_back(std::log2(static_cast<double>(value)));
        const double mean =
            logs.size() > 1 ? (logs.back() - logs.front()) / static_cast<double>(logs.size() - 1) : 1;
        edges_.push_back(logs.front() - (logs.size() > 1 ? logs[1] - logs[0] : mean) / 2);
        for (std::size_t i = 0; i + 1 < logs.size(); ++i) edges_.push_back((logs[i] + logs[i + 1]) / 2);
        edges_.push_back(2 * logs.back() - edges_.back());
        scale_ = step / mean;
    }
    std::size_t begin(std::size_t i) const { return pixels(edges_[i]); }
    std::size_t end(std::size_t i) const { return pixels(edges_[i + 1]); }
    std::size_t length() const { return pixels(edges_.back()); }

  private:
    std::size_t pixels(double edge) const {
        return static_cast<std::size_t>(std::lround((edge - edges_.front()) * scale_));
    }
    std::vector<double> edges_;
    double scale_;
};

struct Place {
    std::size_t x, y, width, height;
};

std::string box(const Place& place, std::optional<std::size_t> algorithm, const std::string& tip) {
    return formatted("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" fill-opacity=\"{}\">"
                     "<title>{}</title></rect>\n",
                     place.x, place.y, place.width - 1, place.height - 1,
                     algorithm ? series_colour(*algorithm) : "#eef1f4", algorithm ? "0.55" : "1",
                     markup(tip));
}

// The mark tells algorithms apart without colours.
std::string map_field(const Place& place, const WinnerMap::Field& field) {
    std::string shapes = box(place, field.winner, field.tip);
    if (!field.winner || place.width < narrowest_for_text) return shapes;
    const std::size_t middle = place.x + place.width / 2;
    const bool two_lines = !field.setting.empty() && place.height >= lowest_for_two_lines;
    const std::size_t line = place.y + place.height / 2 + (two_lines ? 0 : 4);
    shapes += svg_text(middle, line - (two_lines ? 2 : 0), "middle bold",
                       formatted("{} {}", series_mark(*field.winner), field.lead));
    if (two_lines) shapes += svg_text(middle, line + 12, "middle", field.setting);
    return shapes;
}

std::string map_legend(std::size_t y, const WinnerMap& map) {
    std::string shapes;
    for (std::size_t i = 0; i < map.algorithms.size(); ++i, y += legend_line) {
        shapes += box({map_left, y, 34, legend_line}, i, map.algorithms[i]);
        shapes += svg_text(map_left + 16, y + 14, "middle bold", series_mark(i));
        shapes += svg_text(map_left + 42, y + 14, "", map.algorithms[i]);
    }
    return shapes;
}

} // namespace

std::string map_plot(const WinnerMap& map) {
    const LogAxis across(map.blocks, field_width), up(map.ranks, field_height);
    const std::size_t bottom = map_top + up.length();
    std::string shapes = svg_text(map_left, 24, "title", map.title) + svg_text(map_left, 44, "", map.note);
    for (std::size_t i = 0; i < map.ranks.size(); ++i) {
        const std::size_t y = bottom - up.end(i), height = up.end(i) - up.begin(i);
        shapes += svg_text(map_left - 8, y + height / 2 + 4, "end", std::to_string(map.ranks[i]));
        for (std::size_t n = 0; n < map.blocks.size(); ++n)
            shapes += map_field({map_left + across.begin(n), y, across.end(n) - across.begin(n), height},
                                map.fields[i][n]);
    }
    for (std::size_t n = 0; n < map.blocks.size(); ++n)
        shapes += svg_text(map_left + (across.begin(n) + across.end(n)) / 2, bottom + 16, "middle",
                           size_text(static_cast<double>(map.blocks[n])));
    shapes += svg_text(map_left + across.length() / 2, bottom + 34, "middle", "largest block");
    shapes += svg_text(map_left - 8, map_top - 6, "end", "ranks");
    const std::size_t legend = bottom + 46;
    return svg_document(std::max<std::size_t>(720, map_left + across.length() + 20),
                        legend + legend_line * map.algorithms.size() + 12, map.title,
                        shapes + map_legend(legend, map));
}

} // namespace switchyard::shim::report
