#include "page_plots.hpp"

#include "html_table.hpp"
#include "page_parts.hpp"
#include "palette.hpp"
#include "plot_data.hpp"
#include "policy/text/lists.hpp"

#include <algorithm>

namespace switchyard::shim::report {

namespace {

// The first column of a table that stands for a plot's legend.
std::string with_mark(std::size_t series, std::string_view mark, const std::string& name) {
    return formatted("<i class=\"mark\" style=\"color:{}\" aria-hidden=\"true\">{}</i>{}",
                     series_colour(series), mark, markup(shown(name, 60)));
}

// The parts of the collectives side by side, in the colours of the table's heads. `whole`: of a full bar.
template <typename Figure>
std::string stacked_bar(const Sizes& sizes, const std::vector<Sizes::Part>& parts, Figure figure,
                        double whole) {
    std::string bar = "<span class=\"bar stack\" aria-hidden=\"true\">";
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i].calls > 0)
            bar += formatted("<i style=\"width:{:.2f}%;background:{}\" title=\"{}: {}, {}\"></i>",
                             whole > 0 ? 100 * static_cast<double>(parts[i].*figure) / whole : 0,
                             series_colour(i), markup(shown(sizes.collectives[i])),
                             text::plural(parts[i].calls, "call"), time_text(parts[i].time_us));
    return bar + "</span>";
}

Sizes::Part sum_of(const std::vector<Sizes::Part>& parts) {
    Sizes::Part all;
    for (const auto& part : parts) {
        all.calls += part.calls;
        all.time_us += part.time_us;
    }
    return all;
}

Cell with_bar(const std::string& bar, const Cell& figure) {
    return {bar + figure.shows, *figure.value};
}

// The plot where scripts run, and who wrote it.
void draw_timeline(const Profile& profile, const std::vector<Series>& series, const Script& library,
                   std::ostream& out) {
    out << "<figure hidden><div class=\"plot\" id=\"timeline\" role=\"img\" tabindex=\"0\" "
           "aria-label=\"Time of each call over the run. The table below has its figures. Keys: plus and "
           "minus "
           "zoom, arrows move, Escape shows all\"></div>\n<figcaption>"
        << (profile.marks.size() <= most_points
                ? "Each mark is a call: when its first rank arrived, and its time, mean over its ranks."
                : "Each mark is the median of a stretch of time; its line goes from the 5th to the 95th "
                  "percentile.")
        << " Drag to zoom, with Shift to move; a double click shows all. Keys: + and - zoom, arrows move, "
           "Escape shows all.</figcaption>\n"
           "<details><summary>Drawn by dygraphs, whose license is MIT</summary><pre>"
        << markup(plot_library_license) << "</pre></details></figure>\n"
        << "<script type=\"application/json\" id=\"plot-data\">" << plot_data(profile, series)
        << "</script>\n<script>" << library.text << "</script>\n";
}

} // namespace

void write_timeline(const Profile& profile, const std::vector<Series>& series, const Script& library,
                    std::ostream& out) {
    if (profile.run.summary) return; // it does not say when each call was
    begin_section(out, "over-time", "Time of a call, over the run");
    if (!library.text.empty())
        draw_timeline(profile, series, library, out);
    else
        out << "<p class=\"note\">This page has no plot over time: dygraphs, which draws it, was not there "
               "when this switchyard was built (Debian: libjs-dygraphs). The table has its figures.</p>\n";
    out << "<noscript><p class=\"note\">Without scripts this page has no plot over time, and its tables "
           "cannot be sorted. The tables have all figures.</p></noscript>\n";
    {
        HtmlTable table(out,
                        {{"series", Cells::words}, {"calls"}, {"total"}, {"median"}, {"p95"}, {"longest"}});
        for (std::size_t i = 0; i < series.size(); ++i) {
            const auto& one = series[i];
            table.row({with_mark(i, series_mark(i), one.name), count_cell(one.calls), time_cell(one.time_us),
                       time_cell(one.call_us.median()), time_cell(one.call_us.quantile(0.95)),
                       time_cell(one.call_us.quantile(1))});
        }
    }
    out << "</section>\n";
}

void write_sizes(const Sizes& sizes, std::ostream& out) {
    Sizes::Part most;
    for (const auto& [bits, parts] : sizes.blocks) {
        const auto all = sum_of(parts);
        most = {std::max(most.calls, all.calls), std::max(most.time_us, all.time_us)};
    }
    begin_section(out, "sizes", "Sizes");
    out << "<p>A call counts at its largest block: the most bytes that any rank "
           "sends to another rank.</p>\n";
    {
        std::vector<Column> columns = {{"block up to"}, {"calls", Cells::words}, {"total", Cells::words}};
        for (std::size_t i = 0; i < sizes.collectives.size(); ++i)
            columns.push_back({with_mark(i, "\u25a0", sizes.collectives[i])});
        HtmlTable table(out, columns);
        for (const auto& [bits, parts] : sizes.blocks) {
            const auto all = sum_of(parts);
            const auto calls =
                stacked_bar(sizes, parts, &Sizes::Part::calls, static_cast<double>(most.calls));
            const auto times = stacked_bar(sizes, parts, &Sizes::Part::time_us, most.time_us);
            std::vector<Cell> row = {block_cell(bits), with_bar(calls, count_cell(all.calls)),
                                     with_bar(times, time_cell(all.time_us))};
            for (const auto& part : parts)
                row.push_back(part.calls > 0 ? time_cell(part.time_us) : Cell{"-", 0});
            table.row(row);
        }
    }
    out << "</section>\n";
}

} // namespace switchyard::shim::report
