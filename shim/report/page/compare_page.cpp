#include "compare_page.hpp"

#include "html_table.hpp"
#include "page_frame.hpp"
#include "page_parts.hpp"
#include "shim/report/facts/compare_words.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::shim::report {

namespace {

constexpr double full_bar = 2; // times faster or slower

std::string sentence(const std::string& text) {
    return markup(shown(text, 1000)) + (text.ends_with('.') ? "" : ".");
}

// The bar grows to the left if B is faster, and to the right if B is slower, so it can be
// read without its colour.
std::string gain_bar(double ratio) {
    const double gain = std::clamp(std::log(ratio) / std::log(full_bar), -1.0, 1.0);
    const double length = 50 * std::abs(gain);
    return formatted("<span class=\"bar gain\"><i{} style=\"left:{:.1f}%;width:{:.1f}%\"></i></span>",
                     gain > 0 ? " class=\"slower\"" : "", gain > 0 ? 50 : 50 - length, length);
}

Column page_column(const ToldColumn& column) {
    const auto title = markup(column.title);
    switch (column.told) {
    case Told::words: return {title, Cells::words};
    case Told::algorithms: return {title, Cells::algorithm};
    default: return {title};
    }
}

Cell cell_of(const ToldCell& cell, Told told) {
    const auto text = markup(cell.text);
    if (!cell.value) return text;
    return {(told == Told::ratios && *cell.value > 0 ? gain_bar(*cell.value) : "") + text, *cell.value};
}

void write_rows(const ToldTable& told, std::size_t most, std::ostream& out) {
    std::vector<Column> columns;
    for (const auto& column : told.columns) columns.push_back(page_column(column));
    HtmlTable table(out, columns);
    for (std::size_t n = 0; n < std::min(most, told.rows.size()); ++n) {
        std::vector<Cell> cells;
        for (std::size_t i = 0; i < told.columns.size(); ++i)
            cells.push_back(cell_of(told.rows[n][i], told.columns[i].told));
        table.row(cells);
    }
}

void write_groups(const ToldTable& told, std::ostream& out) {
    if (told.rows.empty()) {
        if (!told.without_rows.empty())
            out << "<section><p>" << sentence(told.without_rows) << "</p></section>\n";
        return;
    }
    out << "<section><h2>" << markup(told.title) << "</h2>\n";
    if (!told.explanation.empty())
        out << "<p>" << sentence(told.explanation) << (told.note.empty() ? "" : ' ' + sentence(told.note))
            << "</p>\n";
    write_rows(told, most_rows, out);
    say_what_is_left_out(out, told.rows.size());
    out << "</section>\n";
}

// ---- The parts of the page ------------------------------------------------------------------------------

void write_warnings(const std::vector<std::string>& sentences, std::ostream& out) {
    for (const auto& text : sentences) out << "<p class=\"warning\">" << sentence(text) << "</p>\n";
}

void write_head(const ToldFolders& told, const Folders& folders, const std::string& title,
                std::ostream& out) {
    out << "<header><p class=\"kind\">switchyard comparison</p><h1>" << markup(title)
        << "</h1><p class=\"sub\">A: " << markup(shown(folders[0].path, 600))
        << "<br>B: " << markup(shown(folders[1].path, 600)) << "</p></header>\n";
    write_warnings(told.remarks, out);
}

// The answer proper ends at the colon.
std::string answer_text(const std::string& answer) {
    const auto colon = answer.find(':');
    return "<b>" + markup(answer.substr(0, colon)) + "</b>" +
           (colon == std::string::npos ? "" : markup(answer.substr(colon)));
}

void write_answers(const ToldFolders& told, std::ostream& out) {
    out << "<section class=\"answer\">\n";
    for (const auto& pools : told.pools)
        out << "<p>"
            << (told.pools.size() > 1 ? "<span class=\"program\">" + markup(pools.name) + "</span>" : "")
            << answer_text(pools.answer) << "</p>\n";
    if (!told.no_answer.empty()) out << "<p>" << answer_text(told.no_answer) << "</p>\n";
    // Programs that are compared apart are repeated alike.
    for (const auto& pools : told.pools)
        if (pools.next) {
            write_next_steps({*pools.next}, out);
            break;
        }
    out << "</section>\n";
}

void write_sides(const ToldPools& told, std::ostream& out) {
    out << "<section class=\"sides\">\n";
    for (std::size_t side = 0; side < 2; ++side) {
        const auto& here = told.sides[side];
        out << "<div><h2>" << letters[side] << ": " << markup(here.title) << "</h2><p>"
            << sentence(here.calls) << "</p>\n";
        write_warnings(here.remarks, out);
        write_facts(here.facts, out);
        out << "</div>\n";
    }
    out << "</section>\n";
    if (!told.unlike.empty()) write_warnings({told.unlike}, out);
}

bool has_spread(const Total& total) {
    const auto& [a, b] = total.paired.values;
    return !total.is_part && std::max(a.size(), b.size()) > 1;
}

// Where the runs of a pair lie between the shortest and the longest of all runs.
std::string runs_on_a_line(const Paired& paired, std::size_t pair, double shortest, double longest) {
    std::string runs = "<span class=\"runs\">";
    for (std::size_t side = 0; side < 2; ++side)
        if (const auto& values = paired.values[side]; pair < values.size())
            runs +=
                formatted("<b{} style=\"left:{:.1f}%\">{}</b>", side == 0 ? "" : " class=\"b\"",
                          longest > shortest ? 100 * (values[pair] - shortest) / (longest - shortest) : 50,
                          letters[side]);
    return runs + "</span>";
}

void write_pairs(const Total& total, std::ostream& out) {
    const auto& [a, b] = total.paired.values;
    auto all = a;
    all.insert(all.end(), b.begin(), b.end());
    const auto [shortest, longest] = std::ranges::minmax(all);
    const Cell unknown = {"-", 0};
    out << "<div><h3>" << markup(total.what) << "</h3>";
    {
        HtmlTable table(out, {{"pair"},
                              {"A"},
                              {"B"},
                              {"B/A"},
                              {time_text(shortest) + " to " + time_text(longest), Cells::words}});
        for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
            const bool has_a = i < a.size(), has_b = i < b.size();
            table.row(
                {count_cell(i + 1), has_a ? time_cell(a[i]) : unknown, has_b ? time_cell(b[i]) : unknown,
                 has_a && has_b ? Cell{gain_bar(b[i] / a[i]) + formatted("{:.2f}", b[i] / a[i]), b[i] / a[i]}
                                : unknown,
                 runs_on_a_line(total.paired, i, shortest, longest)});
        }
    }
    out << "<p class=\"note\">The runs of A and B, by the order of their start.</p></div>\n";
}

void write_what_a_run_takes(const ToldPools& told, std::ostream& out) {
    out << "<section><h2>" << markup(told.takes.title) << "</h2>\n<p>" << sentence(told.takes.explanation)
        << formatted(" A bar to the left: B is faster; to the right: B is slower. A full bar stands for a "
                     "factor of {:.0f} or more.</p>\n",
                     full_bar);
    write_rows(told.takes, std::string::npos, out);
    for (const auto& text : told.pairing) out << "<p class=\"note\">" << sentence(text) << "</p>\n";
    if (std::ranges::any_of(told.totals, has_spread)) {
        out << "<div class=\"sides\">\n";
        for (const auto& total : told.totals)
            if (has_spread(total)) write_pairs(total, out);
        out << "</div>\n";
    }
    out << "</section>\n";
}

void write_agreement(const ToldPools& told, std::ostream& out) {
    const auto& [a, b] = told.sides;
    if (a.agreement.empty() && b.agreement.empty()) return;
    out << "<section><h2>What the agreement costs</h2>\n<p>Waiting for late ranks included.</p>\n";
    for (std::size_t i = 0; i < 2; ++i)
        if (const auto& text = told.sides[i].agreement; !text.empty())
            out << "<p><b>" << letters[i] << ":</b> " << sentence(text) << "</p>\n";
    out << "</section>\n";
}

void write_pools(const ToldPools& told, std::ostream& out) {
    write_what_a_run_takes(told, out);
    write_agreement(told, out);
    write_groups(told.in_both, out);
    for (const auto& table : told.only_in) write_groups(table, out);
    write_sides(told, out);
}

} // namespace

void write_comparison_html(const Folders& folders, std::ostream& out) {
    const auto all = told(folders);
    const auto title = (all.pools.size() == 1 ? all.pools.front().name + ": is" : "Is") + " B faster?";
    begin_page(title, {}, out);
    write_head(all, folders, title, out);
    write_answers(all, out);
    for (const auto& pools : all.pools) {
        if (all.pools.size() > 1) out << "<h1 class=\"program\">" << markup(pools.name) << "</h1>\n";
        write_pools(pools, out);
    }
    end_page(out);
}

} // namespace switchyard::shim::report
