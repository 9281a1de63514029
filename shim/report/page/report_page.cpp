#include "report_page.hpp"

#include "answers.hpp"
#include "html_table.hpp"
#include "page_frame.hpp"
#include "page_parts.hpp"
#include "page_plots.hpp"
#include "policy/parse.hpp"
#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "shim/report/facts/algorithm_phases.hpp"
#include "shim/report/facts/chosen_by.hpp"
#include "shim/report/facts/cliffs.hpp"
#include "shim/report/facts/native_calls.hpp"
#include "shim/report/facts/near_two_gib.hpp"
#include "shim/report/facts/run_sentences.hpp"
#include "shim/report/facts/slow_start.hpp"
#include "shim/report/facts/what_moves.hpp"

#include <algorithm>
#include <map>

namespace switchyard::shim::report {

namespace {

// A share with a bar, so that a table reads like a plot.
Cell bar_cell(double part, double whole) {
    const double share = whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0;
    return {formatted("<span class=\"bar\" aria-hidden=\"true\"><i style=\"width:{:.1f}%\"></i></span>{}",
                      100 * share, share_text(part, whole)),
            part};
}

void write_head(const Profile& profile, const std::string& name, std::ostream& out) {
    const auto& run = profile.run;
    out << "<header><p class=\"kind\">switchyard report</p><h1>" << markup(name) << "</h1><p class=\"sub\">"
        << markup(shape_text(profile.ranks, profile.nodes())) << " &middot; "
        << markup(run.started.empty() ? "start not known" : run.started) << " &middot; "
        << (run.partial    ? "partial"
            : run.sessions ? "sessions"
                           : "complete")
        << "</p></header>\n";
    if (run.partial)
        out << "<p class=\"warning\"><b>Partial.</b> The run did not reach MPI_Finalize. These are the "
               "records that its ranks had written.</p>\n";
    if (profile.unreadable > 0)
        out << "<p class=\"warning\">" << text::plural(profile.unreadable, "line")
            << " of the log could not be read" << (profile.torn ? "; the file is truncated" : "")
            << ".</p>\n";
    if (profile.missing_calls() > 0)
        out << "<p class=\"warning\">" << missing_calls_text(profile) << ".</p>\n";
    if (run.dropped > 0)
        out << "<p class=\"warning\">" << text::plural(run.dropped, "record")
            << " had no room while the program ran: the sums are too small.</p>\n";
    if (run.summary)
        out << "<p class=\"warning\">The log is a summary: medians are over means of many calls, and it does "
               "not say when each call was.</p>\n";
}

Cell agreement_cell(const Profile& profile, const CallGroup& group) {
    const double us = profile.per_rank(group.rank_us.agree);
    if (us <= 0) return {"-", 0};
    return {share_text(group.rank_us.agree, group.rank_us.whole), us};
}

void write_groups(const Profile& profile, const std::vector<ChosenBy>& deciders, std::ostream& out) {
    begin_section(out, "groups", "Where the time went");
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
                              {"waiting"},
                              {"agreement"},
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
                       time_cell(profile.time_us(group)),
                       markup(kind.collective),
                       count_cell(static_cast<std::uint64_t>(kind.ranks)),
                       block_cell(kind.block_bits),
                       algorithm,
                       count_cell(group.calls),
                       time_cell(group.call_us.median()),
                       time_cell(group.call_us.quantile(0.95)),
                       {formatted("{:.2f}", group.imbalance()), group.imbalance()},
                       {share_text(group.rank_us.waiting, group.rank_us.whole), group.rank_us.waiting},
                       agreement_cell(profile, group),
                       {size_text(group.bytes), group.bytes},
                       mark_of(places.of(kind))});
        }
    }
    out << "<p class=\"note\">Each line stands for the calls of one collective with "
           "one "
           "algorithm and blocks up to one size. <i>Total</i> is the time of the average rank, waiting for "
           "late ranks included. <i>Max/mean</i> is the slowest rank's time over the mean of all "
           "ranks. <i>Waiting</i> is the share of the total beyond the fastest rank of each call: time spent "
           "waiting for late ranks, or for ranks with more bytes. <i>Agreement</i> is the share "
           "in which ranks told each other their largest "
           "block.</p>\n";
    say_what_is_left_out(out, profile.groups.size());
    out << "</section>\n";
}

void write_sentences(const char* id, const char* title, const char* note,
                     const std::vector<std::string>& sentences, std::ostream& out) {
    if (sentences.empty()) return;
    begin_section(out, id, title);
    for (const auto& sentence : sentences) out << "<p>" << markup(sentence) << ".</p>\n";
    out << "<p class=\"note\">" << note << "</p></section>\n";
}

void write_counted(const Profile& profile, std::ostream& out) {
    if (profile.run.counted.empty()) return;
    begin_section(out, "counted", "Counted, not routed");
    out << "<p>" << markup(share_of_policies_text(profile))
        << ". These other collectives no policy changes. <i>Calls</i> and <i>sent</i> are of all ranks, "
           "<i>total</i> is the time of the average rank, <i>most</i> that of the rank with the most. "
        << waiting_text(profile) << "</p>\n";
    {
        HtmlTable table(out, {{"of the time", Cells::words},
                              {"total"},
                              {"most"},
                              {"collective", Cells::words},
                              {"calls"},
                              {"sent"}});
        for (const auto& kind : profile.run.counted)
            table.row({bar_cell(kind.rank_us, profile.all_rank_us()),
                       time_cell(profile.per_rank(kind.rank_us)),
                       time_cell(kind.most_us),
                       markup(shown(kind.name, 32)),
                       count_cell(kind.calls),
                       {size_text(kind.bytes), kind.bytes}});
    }
    out << "</section>\n";
}

// The reasons that the policy of the run gives for its rules, by the name of the rule.
std::map<std::string, std::string> reasons_of(const std::string& policy_text) {
    std::map<std::string, std::string> reasons;
    if (const auto policy = policy::read(policy_text).value)
        for (const auto& rule : policy->rules) reasons.emplace(rule.name, rule.because);
    return reasons;
}

std::string decider_text(const ChosenBy& by, const std::map<std::string, std::string>& reasons) {
    auto text = (by.fell_back() ? "<em>fell back</em> " : "") + markup(by.text());
    const auto reason = reasons.find(by.rule);
    if (reason != reasons.end() && !reason->second.empty())
        text += "<span class=\"because\">because: " + markup(shown(reason->second, 600)) + "</span>";
    return text;
}

void write_deciders(const Profile& profile, const std::vector<ChosenBy>& deciders, std::ostream& out) {
    begin_section(out, "policy", "Who chose the algorithm");
    {
        HtmlTable table(out, {{"by"},
                              {"of the time", Cells::words},
                              {"calls"},
                              {"decided by", Cells::words},
                              {"ran", Cells::words}});
        const auto reasons = reasons_of(profile.run.policy);
        for (std::size_t i = 0; i < std::min(most_rows, deciders.size()); ++i) {
            const auto& by = deciders[i];
            table.row({mark_of(i), bar_cell(by.rank_us, profile.rank_us.whole), count_cell(by.calls),
                       decider_text(by, reasons), markup(shown(by.ran_text(), 200))});
        }
    }
    out << "</section>\n";
}

Cell share_cell(const std::optional<double>& share) {
    return {known_share(share), share.value_or(0)};
}
Cell number_cell(const std::optional<double>& number) {
    return {known_number(number), number.value_or(0)};
}

void write_what_moves(const Profile& profile, std::ostream& out) {
    const auto rows = what_moves_rows(profile);
    if (rows.empty()) return;
    begin_section(out, "moves", what_moves_title);
    out << "<p class=\"note\">" << markup(what_moves_note) << "</p>\n";
    {
        HtmlTable table(out, {{"collective", Cells::words},
                              {"ranks"},
                              {"block &le;"},
                              {"algorithm", Cells::words},
                              {"to itself"},
                              {"empty"},
                              {"partners"},
                              {"most"},
                              {"skew"},
                              {"in flight"}});
        for (const auto& [group, moves] : rows)
            table.row({markup(shown(group->kind.collective, 32)),
                       {std::to_string(group->kind.ranks), static_cast<double>(group->kind.ranks)},
                       {block_text(group->kind.block_bits), static_cast<double>(group->kind.block_bits)},
                       markup(shown(group->kind.algorithm_text(), 200)),
                       share_cell(moves.own_share),
                       share_cell(moves.empty_share),
                       number_cell(moves.partners),
                       number_cell(moves.most_partners),
                       number_cell(moves.skew),
                       number_cell(moves.in_flight)});
    }
    out << "</section>\n";
    write_sentences("advice", moves_advice_title, moves_advice_note, moves_advice(profile), out);
}

void write_algorithm_phases(const Profile& profile, std::ostream& out) {
    const auto phases = phases_in(profile);
    if (phases.empty()) return;
    begin_section(out, "phases", algorithm_phases_title);
    out << "<p class=\"note\">" << markup(algorithm_phases_note(phases)) << "</p>\n";
    {
        std::vector<Column> columns = {
            {"collective", Cells::words}, {"ranks"}, {"block &le;"}, {"algorithm", Cells::words}, {"a call"}};
        for (const auto phase : phases)
            columns.push_back({std::string(algorithms::phase_traits[static_cast<std::size_t>(phase)].name)});
        HtmlTable table(out, columns);
        for (const auto* group : groups_with_phases(profile)) {
            const double time = phases_us_of_call(*group);
            std::vector<Cell> cells = {
                markup(shown(group->kind.collective, 32)),
                {std::to_string(group->kind.ranks), static_cast<double>(group->kind.ranks)},
                block_cell(group->kind.block_bits),
                markup(shown(group->kind.algorithm_text(), 200)),
                time_cell(time)};
            for (const auto phase : phases)
                cells.push_back(
                    {share_of_phase(*group, phase), group->phase_us[static_cast<std::size_t>(phase)]});
            table.row(cells);
        }
    }
    out << "</section>\n";
}

void write_run(const Profile& profile, std::ostream& out) {
    const auto& run = profile.run;
    begin_section(out, "run", "The run");
    write_facts({{"command", run.command_line},
                 {"hosts", joined(run.hosts, ", ")},
                 {"MPI", run.mpi_library},
                 {"policy", run.policy_file},
                 {"detail", run.detail},
                 {"switchyard", run.version},
                 {"log", run.directory}},
                out);
    out << "</section>\n";
}

} // namespace

void write_html(const Profile& profile, std::ostream& out, const Script& library) {
    const auto name = profile.run.program.empty() ? "A run" : profile.run.program;
    begin_page(name + ": where the time of its collectives went", library, out);
    write_head(profile, name, out);
    const auto deciders = chosen_by(profile);
    const auto ranks = rank_picture_of(profile);
    write_answers(profile, deciders, ranks, out);
    // The order of the questions that the first screen answers: where did the time go, is it waiting, why, what did
    // the policy do; then what the calls look like, and facts to look up.
    if (!profile.groups.empty()) write_groups(profile, deciders, out);
    write_counted(profile, out);
    write_sentences("cliffs", cliff_title, cliff_note, cliff_sentences(profile), out);
    write_sentences("limits", near_two_gib_title, near_two_gib_note, near_two_gib_sentences(profile), out);
    write_sentences("first-calls", slow_start_title, slow_start_note, slow_start_sentences(profile), out);
    if (!profile.groups.empty()) {
        write_ranks(profile, ranks, out);
        write_timeline(profile, series_of(profile), library, out);
        write_deciders(profile, deciders, out);
        write_algorithm_phases(profile, out);
        write_what_moves(profile, out);
        write_heat_map(profile, out);
        write_sizes(sizes_of(profile), out);
    }
    write_sentences("native", native_title, native_note, native_sentences(profile), out);
    write_run(profile, out);
    end_page(out);
}

} // namespace switchyard::shim::report
