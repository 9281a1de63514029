#include "coverage_plot.hpp"

#include "palette.hpp"
#include "policy/rule_name.hpp"
#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "svg.hpp"

#include <algorithm>

namespace switchyard::shim::report {

namespace {

constexpr double tables_left = 66, cell_width = 34, cell_height = 19, title_height = 40, gap = 46,
                 line_height = 19;

std::string colour_of(const Covered& cell) {
    if (!cell.rule) return std::string(nothing);
    // There may be more rules than colours: then colours repeat, paler each time, and the
    // number tells rules apart.
    const double strength = std::max(0.25, 0.75 - 0.2 * static_cast<double>(*cell.rule / series_colours));
    return tint(series_colour(*cell.rule % series_colours), strength);
}

void draw_cell(Svg& svg, const policy::Policy& policy, const Coverage& coverage, std::size_t row,
               std::size_t column, const Covered& cell, double x, double y) {
    const auto rule = cell.rule ? policy::rule_numbered(*cell.rule + 1, policy.rules[*cell.rule].name)
                                : std::string("otherwise");
    svg.rect(x + 0.5, y + 0.5, cell_width - 1, cell_height - 1, colour_of(cell),
             formatted("{} ranks, blocks up to {}\n{}: {}{}{}", coverage.ranks[row],
                       block_text(coverage.block_bits[column]), rule, cell.algorithm,
                       cell.mixed ? "\nanother rule takes part of these blocks" : "",
                       cell.falls_back ? "\na rule matches but cannot run here" : ""));
    const char* note = cell.falls_back ? "!" : cell.mixed ? "+" : "";
    svg.text(x + cell_width / 2, y + 14, (cell.rule ? std::to_string(*cell.rule + 1) : "") + note,
             Anchor::middle, 11, ink);
}

double draw_table(Svg& svg, const policy::Policy& policy, const Coverage& coverage,
                  const Coverage::Table& table, double top) {
    svg.text(tables_left, top + 16, name_of(table.collective), Anchor::start, 14, ink, "600");
    top += 26;
    const auto rows = coverage.ranks.size();
    for (std::size_t i = 0; i < rows; ++i) {
        const double y = top + cell_height * static_cast<double>(i);
        svg.text(tables_left - 8, y + 14, std::to_string(coverage.ranks[i]), Anchor::end, 11);
        for (std::size_t n = 0; n < coverage.block_bits.size(); ++n)
            draw_cell(svg, policy, coverage, i, n, table.rows[i][n],
                      tables_left + cell_width * static_cast<double>(n), y);
    }
    const double bottom = top + cell_height * static_cast<double>(rows);
    for (std::size_t n = 0; n < coverage.block_bits.size(); n += 2)
        svg.text(tables_left + cell_width * (static_cast<double>(n) + 0.5), bottom + 15,
                 block_text(coverage.block_bits[n]), Anchor::middle, 10);
    svg.upright_text(16, (top + bottom) / 2, "ranks");
    return bottom;
}

void draw_legend(Svg& svg, const policy::Policy& policy, double y) {
    const auto entry = [&](const std::string& number, const std::string& colour, const std::string& text) {
        svg.rect(tables_left, y, 30, 15, colour);
        svg.text(tables_left + 15, y + 12, number, Anchor::middle, 11, ink);
        svg.text(tables_left + 40, y + 12, shown(text, 110), Anchor::start, 12);
        y += line_height;
    };
    for (std::size_t i = 0; i < policy.rules.size(); ++i) {
        Covered cell;
        cell.rule = i;
        const auto& name = policy.rules[i].name;
        const auto label = name == policy::name_by_number(i + 1) ? "" : name + ": ";
        entry(std::to_string(i + 1), colour_of(cell), label + policy.rules[i].use.algorithm);
    }
    entry("", std::string(nothing), "otherwise: " + policy.otherwise.algorithm);
    entry("+", "#ffffff", "another rule takes part of the blocks of this column");
    entry("!", "#ffffff", "a rule matches but cannot run here; it is skipped");
}

} // namespace

std::string coverage_plot(const policy::Policy& policy, const Coverage& coverage) {
    const double columns = static_cast<double>(coverage.block_bits.size());
    const double table_height = 26 + cell_height * static_cast<double>(coverage.ranks.size()) + gap;
    const double width = std::max(940.0, tables_left + cell_width * columns + 20);
    const double legend = line_height * static_cast<double>(policy.rules.size() + 3);
    const double height =
        title_height + table_height * static_cast<double>(coverage.tables.size()) + legend + 14;
    Svg svg(width, height, "Which rule of a policy takes which calls");
    svg.rect(0, 0, width, height, "#ffffff");
    svg.text(tables_left, 24,
             formatted("Which rule takes a call, by ranks and largest block; {} per node, host buffers",
                       text::plural(static_cast<std::uint64_t>(coverage.ranks_per_node), "rank")),
             Anchor::start, 15, ink, "600");
    double top = title_height;
    for (const auto& table : coverage.tables) top = draw_table(svg, policy, coverage, table, top) + gap;
    draw_legend(svg, policy, top - 10);
    return svg.finish();
}

} // namespace switchyard::shim::report
