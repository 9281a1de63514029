#include "html.hpp"

#include "chosen_by.hpp"
#include "html_table.hpp"
#include "page_style.hpp"
#include "palette.hpp"
#include "plots.hpp"
#include "shim/common/formatted.hpp"
#include "svg.hpp"
#include "text.hpp"
#include "units.hpp"

#include <algorithm>

namespace switchyard::shim::report {

namespace {

constexpr std::size_t most_rows = 24;

void say_what_is_left_out(std::ostream& out, std::size_t all) {
    if (all > most_rows)
        out << "<p class=\"note\">" << all - most_rows
            << " groups with less time are left out; <code>switchyard report --format csv</code> prints "
               "all.</p>\n";
}

// A share with a bar, so that a table reads like a plot.
std::string bar_cell(double part, double whole) {
    const double share = whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0;
    return formatted("<span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span>{}", 100 * share,
                     share_text(part, whole));
}

void write_head(const Profile& profile, std::ostream& out) {
    const auto& run = profile.run;
    const auto name = run.program.empty() ? "A run" : run.program;
    // The security policy keeps the page from using a network, even if markup of the log got past the escaping.
    out << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
           "'unsafe-inline'\">\n"
           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>"
        << markup(name) << ": where the time of its collectives went</title>\n<style>" << page_style
        << "</style></head>\n<body><main>\n<header><p class=\"kind\">switchyard report</p><h1>"
        << markup(name) << "</h1><p class=\"sub\">" << markup(shape_text(profile.ranks, profile.nodes()))
        << " &middot; " << markup(run.started.empty() ? "start not known" : run.started) << " &middot; "
        << (run.partial    ? "partial"
            : run.sessions ? "sessions"
                           : "complete")
        << "</p></header>\n";
    if (run.partial)
        out << "<p class=\"warning\"><b>Partial.</b> The run did not reach MPI_Finalize. These are the "
               "records that its ranks had written.</p>\n";
    if (profile.unreadable > 0)
        out << "<p class=\"warning\">" << counted(profile.unreadable, "line")
            << " of the log could not be read" << (profile.torn ? "; the file is truncated" : "")
            << ".</p>\n";
    if (profile.missing_calls() > 0)
        out << "<p class=\"warning\">" << missing_calls_text(profile) << ".</p>\n";
    if (run.dropped > 0)
        out << "<p class=\"warning\">" << counted(run.dropped, "record")
            << " had no room while the program ran: the sums are too small.</p>\n";
    if (run.summary)
        out << "<p class=\"warning\">The log is a summary: medians are over means of many calls, and it does "
               "not say when each call was.</p>\n";
}

void write_cards(const Profile& profile, std::ostream& out) {
    const auto card = [&out](const std::string& figure, const std::string& what, const std::string& more) {
        out << "<div class=\"card\"><b>" << markup(figure) << "</b><span>" << markup(what) << "</span><small>"
            << markup(more) << "</small></div>\n";
    };
    const auto& times = profile.rank_us;
    const double whole = profile.per_rank(times.whole);
    out << "<section class=\"cards\">\n";
    card(share_text(whole, profile.wall_us()), "of the wall time in collectives",
         time_text(whole) + " of " + time_text(profile.wall_us()) +
             (profile.run.wall_us > 0 ? "" : " until the last call"));
    card(count_text(profile.calls), profile.calls == 1 ? "call" : "calls",
         count_text(profile.routed) + " routed");
    card(share_text(times.agree, times.whole), "of that time agreement",
         time_text(profile.per_rank(times.agree)));
    card(share_text(times.stage + times.copy, times.whole),
         times.copy > 0 ? "packing and copying" : "packing",
         time_text(profile.per_rank(times.stage + times.copy)));
    out << "</section>\n";
}

void write_groups(const Profile& profile, const std::vector<ChosenBy>& deciders, std::ostream& out) {
    out << "<section><h2>Where the time went</h2><p>Each line stands for the calls of one collective with "
           "one "
           "algorithm and blocks up to one size. <i>Total</i> is the time of the average rank, waiting for "
           "late ranks included. <i>Max/mean</i> is the slowest rank's time over the mean of all "
           "ranks.</p>\n";
    {
        HtmlTable table(out, {{"of the time", Cells::words},
                              {"total"},
                              {"collective", Cells::words},
                              {"ranks"},
                              {"block up to"},
                              {"algorithm", Cells::algorithm},
                              {"calls"},
                              {"median"},
                              {"p95"},
                              {"max/mean"},
                              {"sent"},
                              {"by"}});
        const DeciderPlaces places(deciders);
        for (std::size_t i = 0; i < std::min(most_rows, profile.groups.size()); ++i) {
            const auto& group = profile.groups[i];
            const auto& kind = group.kind;
            auto algorithm =
                "<b>" + markup(shown(kind.algorithm, 60)) + "</b> " + markup(shown(kind.parameters, 120));
            if (kind.in_place) algorithm += " <em>in place</em>";
            if (kind.buffer != "host")
                algorithm += " <em>" + markup(kind.buffer + ' ' + kind.transfer) + "</em>";
            table.row({bar_cell(group.rank_us.whole, profile.rank_us.whole),
                       time_text(profile.time_us(group)), markup(kind.collective), std::to_string(kind.ranks),
                       block_text(kind.block_bits), algorithm, count_text(group.calls),
                       time_text(group.call_us.median()), time_text(group.call_us.quantile(0.95)),
                       formatted("{:.2f}", group.imbalance()), size_text(group.bytes),
                       mark_of(places.of(kind))});
        }
    }
    say_what_is_left_out(out, profile.groups.size());
    out << "</section>\n";
}

void write_deciders(const Profile& profile, const std::vector<ChosenBy>& deciders, std::ostream& out) {
    out << "<section><h2>Who chose the algorithm</h2>\n";
    {
        HtmlTable table(out, {{"by"},
                              {"of the time", Cells::words},
                              {"calls"},
                              {"decided by", Cells::words},
                              {"ran", Cells::words}});
        for (std::size_t i = 0; i < std::min(most_rows, deciders.size()); ++i) {
            const auto& by = deciders[i];
            table.row({mark_of(i), bar_cell(by.rank_us, profile.rank_us.whole), count_text(by.calls),
                       (by.fell_back() ? "<em>fell back</em> " : "") + markup(by.text()),
                       markup(shown(by.ran_text(), 200))});
        }
    }
    out << "</section>\n";
}

void write_legend(const std::vector<std::string>& names, bool shapes, std::ostream& out) {
    out << "<ul class=\"legend\">";
    for (std::size_t i = 0; i < names.size(); ++i)
        out << "<li>"
            << (shapes ? legend_mark(i) : formatted("<i style=\"background:{}\"></i>", series_colour(i)))
            << markup(shown(names[i], 80)) << "</li>";
    out << "</ul>\n";
}

void write_timeline(const Profile& profile, std::ostream& out) {
    if (profile.run.summary) return; // it does not say when each call was
    const auto series = series_of(profile);
    std::vector<std::string> names;
    for (const auto& one : series) names.push_back(one.name);
    out << "<section><h2>Time of a call, over the run</h2>\n<figure>" << timeline_plot(profile, series);
    write_legend(names, true, out);
    out << "<figcaption>"
        << (profile.marks.size() <= 2000 ? "Each mark is a call: when its first rank arrived, and its time, "
                                           "mean over its ranks."
                                         : "Each mark is the median of a stretch of time; its line goes from "
                                           "the 5th to the 95th percentile.")
        << "</figcaption></figure>\n";
    {
        HtmlTable table(out,
                        {{"series", Cells::words}, {"calls"}, {"total"}, {"median"}, {"p95"}, {"longest"}});
        for (const auto& one : series)
            table.row({markup(one.name), count_text(one.calls), time_text(one.time_us),
                       time_text(one.call_us.median()), time_text(one.call_us.quantile(0.95)),
                       time_text(one.call_us.quantile(1))});
    }
    out << "</section>\n";
}

void write_sizes(const Profile& profile, std::ostream& out) {
    out << "<section><h2>Sizes</h2>\n<figure>" << histogram_plot(profile);
    write_legend(collectives_of(profile), false, out);
    out << "<figcaption>A call counts at its largest block: the most bytes that any rank sends to another "
           "rank.</figcaption></figure></section>\n<section><h2>Blocks and algorithms</h2>\n<figure>"
        << heat_map_plot(profile)
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
            table.row({row.name(), time_text(row.total_us), share_text(row.total_us, profile.wall_us()),
                       formatted("{:+.1f}%", picture.mean_total_us > 0
                                                 ? 100 * (row.total_us / picture.mean_total_us - 1)
                                                 : 0.0)});
    }
    out << "</section>\n";
}

void write_run(const Profile& profile, std::ostream& out) {
    const auto& run = profile.run;
    out << "<section><h2>The run</h2><dl>";
    const auto fact = [&out](const char* name, const std::string& text) {
        if (!text.empty()) out << "<dt>" << name << "</dt><dd>" << markup(shown(text, 600)) << "</dd>\n";
    };
    fact("command", run.command_line);
    fact("hosts", joined(run.hosts, ", "));
    fact("MPI", run.mpi_library);
    fact("policy", run.policy_file);
    fact("detail", run.detail);
    fact("switchyard", run.version);
    fact("log", run.directory);
    fact("learned", run.learned);
    out << "</dl></section>\n";
}

} // namespace

void write_html(const Profile& profile, std::ostream& out) {
    write_head(profile, out);
    write_cards(profile, out);
    if (profile.groups.empty()) {
        out << "<section><p>The log holds no calls.</p></section>\n";
    } else {
        const auto deciders = chosen_by(profile);
        write_groups(profile, deciders, out);
        write_timeline(profile, out);
        write_sizes(profile, out);
        write_ranks(profile, out);
        write_deciders(profile, deciders, out);
    }
    write_run(profile, out);
    out << "</main></body></html>\n";
}

} // namespace switchyard::shim::report
