#include "html_table.hpp"
#include "page_parts.hpp"
#include "page_plots.hpp"
#include "policy/text/lists.hpp"
#include "shim/report/read/places.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace switchyard::shim::report {

namespace {

struct HeatField {
    std::uint64_t calls = 0;
    Samples call_us;
};

struct HeatRow {
    std::string collective, algorithm;
    int ranks = 0;
    double time_us = 0;
    std::map<unsigned, HeatField> fields; // by block
};

std::vector<HeatRow> rows_of(const Profile& profile) {
    std::vector<HeatRow> rows;
    Places<std::tuple<std::string, std::string, int>> places;
    for (const auto& group : profile.groups) {
        const auto& kind = group.kind;
        const auto [place, is_new] = places.add({kind.collective, kind.algorithm_text(), kind.ranks});
        if (is_new) rows.push_back({kind.collective, kind.algorithm_text(), kind.ranks, 0, {}});
        auto& row = rows[place];
        auto& field = row.fields[kind.block_bits];
        field.calls += group.calls;
        field.call_us.add(group.call_us);
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

// The medians of all fields, from pale to strong: a logarithmic scale.
struct Scale {
    double shortest_us = 1e300, longest_us = 1e-3;

    void add(double us) {
        shortest_us = std::min(shortest_us, std::max(us, 1e-3));
        longest_us = std::max(longest_us, us);
    }
    // As the page's style wants it. The strongest colour still shows the figures on it.
    double strength(double us) const {
        if (longest_us <= shortest_us) return 0.4;
        return 0.1 + 0.6 * std::log(std::max(us, 1e-3) / shortest_us) / std::log(longest_us / shortest_us);
    }
};

Cell cell_of(const HeatField& field, const Scale& scale) {
    const double median = field.call_us.median();
    return {formatted("{}<small>{}</small>", short_time_text(median), count_text(field.calls)), median,
            formatted(" style=\"--strength:{:.2f}\" title=\"{}, median {}, p95 {}\"", scale.strength(median),
                      text::plural(field.calls, "call"), time_text(median),
                      time_text(field.call_us.quantile(0.95)))};
}

void write_fields(const std::vector<HeatRow>& rows, const std::set<unsigned>& blocks, const Scale& scale,
                  std::ostream& out) {
    std::vector<Column> columns = {{"algorithm", Cells::algorithm}};
    for (const auto bits : blocks) columns.push_back({block_text(bits), Cells::fields});
    HtmlTable table(out, columns);
    for (const auto& row : rows) {
        std::vector<Cell> cells = {formatted("{}<small>{}, {}</small>", markup(shown(row.algorithm)),
                                             markup(shown(row.collective)),
                                             text::plural(static_cast<std::uint64_t>(row.ranks), "rank"))};
        for (const auto bits : blocks) {
            const auto field = row.fields.find(bits);
            cells.push_back(field == row.fields.end() ? Cell{"", 0} : cell_of(field->second, scale));
        }
        table.row(cells);
    }
}

} // namespace

void write_heat_map(const Profile& profile, std::ostream& out) {
    const auto rows = rows_of(profile);
    std::set<unsigned> blocks;
    Scale scale;
    for (const auto& row : rows)
        for (const auto& [bits, field] : row.fields) {
            blocks.insert(bits);
            scale.add(field.call_us.median());
        }
    begin_section(out, "blocks", "Blocks and algorithms");
    out << "<p>The median time of a call and the number of calls, "
           "by the largest block (up to). A strong colour is slow: the palest field is "
        << short_time_text(scale.shortest_us) << ", the strongest " << short_time_text(scale.longest_us)
        << ".</p>\n";
    write_fields(rows, blocks, scale, out);
    out << "</section>\n";
}

} // namespace switchyard::shim::report
