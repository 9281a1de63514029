#include "coverage_plot.hpp"

#include "markup.hpp"
#include "palette.hpp"
#include "policy/rule_name.hpp"
#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "svg_parts.hpp"

#include <algorithm>
#include <tuple>

namespace switchyard::shim::report {

namespace {

// In pixels.
constexpr std::size_t left = 66, cell_width = 34, line_height = 19;

// A field shows its rule's number and, under the pointer, `tip`. If there are more rules than colours, the
// colours repeat, paler each time.
std::string field(std::size_t x, std::size_t y, const Covered& cell, const std::string& tip) {
    const char* note = cell.falls_back ? "!" : cell.mixed ? "+" : "";
    const std::size_t number = cell.rule.value_or(0), turn = number / series_colours;
    return formatted("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" fill-opacity=\"{:.2f}\">"
                     "<title>{}</title></rect>\n",
                     x, y, cell_width - 1, line_height - 1,
                     cell.rule ? series_colour(number % series_colours) : "#eef1f4",
                     cell.rule ? std::max(0.25, 0.75 - 0.2 * static_cast<double>(turn)) : 1, markup(tip)) +
           svg_text(x + cell_width / 2, y + 14, "middle",
                    (cell.rule ? std::to_string(number + 1) : "") + note);
}

std::string tip_of(const policy::Policy& policy, int ranks, unsigned block_bits, const Covered& cell) {
    const auto rule = cell.rule ? policy::rule_numbered(*cell.rule + 1, policy.rules[*cell.rule].name)
                                : std::string("otherwise");
    return formatted("{} ranks, blocks up to {}\n{}: {}{}{}", ranks, block_text(block_bits), rule,
                     cell.algorithm, cell.mixed ? "\nanother rule takes part of these blocks" : "",
                     cell.falls_back ? "\na rule matches but cannot run here" : "");
}

// Moves `y` below the table.
std::string table_at(std::size_t& y, const policy::Policy& policy, const Coverage& coverage,
                     const Coverage::Table& table) {
    auto shapes = svg_text(left, y, "title", name_of(table.collective));
    y += 8;
    for (std::size_t i = 0; i < coverage.ranks.size(); ++i, y += line_height) {
        shapes += svg_text(left - 8, y + 14, "end", std::to_string(coverage.ranks[i]));
        for (std::size_t n = 0; n < coverage.block_bits.size(); ++n)
            shapes += field(left + cell_width * n, y, table.rows[i][n],
                            tip_of(policy, coverage.ranks[i], coverage.block_bits[n], table.rows[i][n]));
    }
    for (std::size_t n = 0; n < coverage.block_bits.size(); n += 2)
        shapes += svg_text(left + cell_width * n + cell_width / 2, y + 14, "middle",
                           block_text(coverage.block_bits[n]));
    y += 3 * line_height;
    return shapes;
}

// Moves `y` below the legend.
std::string legend_at(std::size_t& y, const policy::Policy& policy) {
    std::string shapes;
    const auto entry = [&](const Covered& cell, const std::string& text) {
        shapes += field(left, y, cell, "") + svg_text(left + 40, y + 13, "", shown(text, 110));
        y += line_height;
    };
    for (std::size_t i = 0; i < policy.rules.size(); ++i) {
        const auto& [name, algorithm] = std::tie(policy.rules[i].name, policy.rules[i].use.algorithm);
        entry({.rule = i}, (name == policy::name_by_number(i + 1) ? "" : name + ": ") + algorithm);
    }
    entry({}, "otherwise: " + policy.otherwise.algorithm);
    entry({.mixed = true}, "another rule takes part of the blocks of this column");
    entry({.falls_back = true}, "a rule matches but cannot run here; it is skipped");
    return shapes;
}

} // namespace

std::string coverage_plot(const policy::Policy& policy, const Coverage& coverage) {
    auto shapes = svg_text(
        left, 24, "title",
        formatted(
            "Which rule takes a call, by ranks (down) and largest block (across, up to); {} per node, host "
            "buffers",
            text::plural(static_cast<std::uint64_t>(coverage.ranks_per_node), "rank")));
    std::size_t y = 3 * line_height;
    for (const auto& table : coverage.tables) shapes += table_at(y, policy, coverage, table);
    shapes += legend_at(y, policy);
    return svg_document(std::max<std::size_t>(940, left + cell_width * coverage.block_bits.size() + 20), y,
                        "Which rule of a policy takes which calls", shapes);
}

} // namespace switchyard::shim::report
