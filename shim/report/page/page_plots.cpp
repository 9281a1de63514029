#include "page_plots.hpp"

#include "html_table.hpp"
#include "page_parts.hpp"
#include "palette.hpp"
#include "plot_data.hpp"
#include "plots.hpp"

#include <algorithm>

namespace switchyard::shim::report {

namespace {

// The first column of a table that stands for a plot's legend.
std::string with_mark(std::size_t series, std::string_view mark, const std::string& name) {
    return formatted("<i class=\"mark\" style=\"color:{}\">{}</i>{}", series_colour(series), mark,
                     markup(shown(name, 60)));
}

// All calls, then the time of each collective.
std::vector<Cell> row_of_size(unsigned bits, const std::vector<Sizes::Part>& parts) {
    Sizes::Part all;
    std::vector<Cell> times;
    for (const auto& part : parts) {
        all.calls += part.calls;
        all.time_us += part.time_us;
        times.push_back(part.calls > 0 ? time_cell(part.time_us) : Cell{"-", 0});
    }
    std::vector<Cell> row = {block_cell(bits), count_cell(all.calls), time_cell(all.time_us)};
    row.insert(row.end(), times.begin(), times.end());
    return row;
}

} // namespace

void write_timeline(const Profile& profile, const std::vector<Series>& series, std::ostream& out) {
    if (profile.run.summary) return; // it does not say when each call was
    out << "<section><h2>Time of a call, over the run</h2>\n<figure hidden>";
    write_plot("timeline", "Time of each call over the run", PlotHeight::high, out);
    out << "<figcaption>"
        << (profile.marks.size() <= most_points
                ? "Each mark is a call: when its first rank arrived, and its time, mean over its ranks."
                : "Each mark is the median of a stretch of time; its line goes from the 5th to the 95th "
                  "percentile.")
        << " Drag to zoom, with Shift to move; a double click shows all.</figcaption></figure>\n";
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
    out << "<section><h2>Sizes</h2>\n<p>A call counts at its largest block: the most bytes that any rank "
           "sends to another rank.</p>\n<figure hidden>";
    write_plot("calls-by-size", "Calls by the size of the largest block", PlotHeight::low, out);
    out << "<figcaption>Calls</figcaption>\n";
    write_plot("times-by-size", "Time of the average rank by the size of the largest block", PlotHeight::low,
               out);
    out << "<figcaption>Time of the average rank</figcaption></figure>\n";
    {
        std::vector<Column> columns = {{"block up to"}, {"calls"}, {"total"}};
        for (std::size_t i = 0; i < sizes.collectives.size(); ++i)
            columns.push_back({with_mark(i, "\u25a0", sizes.collectives[i])});
        HtmlTable table(out, columns);
        for (const auto& [bits, parts] : sizes.blocks) table.row(row_of_size(bits, parts));
    }
    out << "</section>\n";
}

void write_heat_map(const Profile& profile, std::ostream& out) {
    out << "<section><h2>Blocks and algorithms</h2>\n<figure>" << heat_map_plot(profile)
        << "<figcaption>Each field has the median time of a call and the number of calls. Light is "
           "slow.</figcaption></figure></section>\n";
}

void write_ranks(const Profile& profile, std::ostream& out) {
    const auto picture = rank_picture_of(profile.run.directory, std::max(profile.wall_us(), profile.end_us));
    if (picture.rows.empty()) return;
    out << "<section><h2>Ranks</h2>\n<figure>" << ranks_plot(picture)
        << "<figcaption>Time in collectives, compared with the average rank in the same stretch of time. "
           "Blue: the rank came late and spent less time in collectives. Orange: the rank waited and spent "
           "more. Grey: no calls.</figcaption></figure>\n";
    {
        HtmlTable table(out, {{"ranks"}, {"in collectives"}, {"of the wall time"}, {"against the average"}});
        for (const auto& row : picture.rows)
            table.row({{row.name(), static_cast<double>(row.first_rank)},
                       time_cell(row.total_us),
                       {share_text(row.total_us, profile.wall_us()), row.total_us},
                       {formatted("{:+.1f}%", picture.mean_total_us > 0
                                                  ? 100 * (row.total_us / picture.mean_total_us - 1)
                                                  : 0.0),
                        row.total_us}});
    }
    out << "</section>\n";
}

} // namespace switchyard::shim::report
