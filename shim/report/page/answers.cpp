#include "answers.hpp"

#include "markup.hpp"
#include "page_parts.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "shim/report/facts/next_steps.hpp"
#include "shim/report/facts/why_slow.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::shim::report {

namespace {

constexpr double least_lateness = 0.05; // of the average rank's time in collectives

void write_card(const std::string& figure, const std::string& what, const std::string& more,
                std::ostream& out) {
    out << "<div class=\"card\"><b>" << markup(figure) << "</b><span>" << markup(what) << "</span><small>"
        << markup(more) << "</small></div>\n";
}

// Ranks that come late wait less, so they spend less time in collectives. "" if no rank stands out.
std::string latest_text(const RankPicture& ranks) {
    if (ranks.rows.size() < 2 || ranks.mean_total_us <= 0) return "";
    const auto& latest = *std::ranges::min_element(ranks.rows, {}, &RankPicture::Row::total_us);
    const double less = 1 - latest.total_us / ranks.mean_total_us;
    return less < least_lateness ? "" : formatted("; latest: rank {}", latest.name());
}

std::string packing_text(const Profile& profile) {
    const auto& times = profile.rank_us;
    return formatted("; {} {}", times.copy > 0 ? "packing and copying" : "packing",
                     share_text(times.stage + times.copy, times.whole));
}

// `1.2 s of 3.4 s`, so that nobody has to ask of what the share is.
std::string part_text(const Profile& profile, double rank_us, double of_rank_us) {
    return time_text(profile.per_rank(rank_us)) + " of " + time_text(profile.per_rank(of_rank_us));
}

void write_cards(const Profile& profile, const RankPicture& ranks, std::ostream& out) {
    const auto& times = profile.rank_us;
    const double all = profile.per_rank(profile.all_rank_us()), routable = profile.per_rank(times.whole);
    out << "<section class=\"cards\" id=\"cards\" aria-label=\"Shares of the time\">\n";
    write_card(share_text(all, profile.wall_us()), "of the wall time in collectives",
               time_text(all) + " of " + time_text(profile.wall_us()) +
                   (profile.run.wall_us > 0 ? "" : " until the last call"),
               out);
    const auto names = joined(profile.collectives(), ", ");
    write_card(share_text(routable, profile.wall_us()), "of the wall time can a policy change",
               names.empty() ? "no call" : time_text(routable) + " in " + shown(names, 100), out);
    if (!profile.groups.empty()) {
        write_card(share_text(times.waiting, times.whole), "waiting for late ranks",
                   part_text(profile, times.waiting, times.whole) + latest_text(ranks), out);
        write_card(share_text(times.agree, times.whole), "agreement",
                   part_text(profile, times.agree, times.whole) + packing_text(profile), out);
    }
    out << "</section>\n";
}

void write_dearest(const Profile& profile, std::ostream& out) {
    out << "<div><h2>Slowest calls, and why</h2>\n";
    if (profile.groups.empty()) {
        out << "<p>The log holds no calls" << (profile.run.counted.empty() ? "" : " that a policy can change")
            << ".</p></div>\n";
        return;
    }
    out << "<ol>";
    for (const auto& dearest : dearest_groups(profile))
        out << "<li><b>" << dearest.share << "</b> " << markup(dearest.name) << "<br><small>"
            << markup(dearest.usual + ": " + joined(dearest.causes, "; ")) << "</small></li>\n";
    out << "</ol></div>\n";
}

void write_policy(const Profile& profile, const std::vector<ChosenBy>& deciders, std::ostream& out) {
    if (profile.groups.empty()) return;
    out << "<h2>What the policy did</h2>\n<p>";
    for (const auto& sentence : policy_sentences(profile, deciders)) out << markup(sentence) << ". ";
    out << "<a href=\"#policy\">Rules and their calls</a></p>\n";
}

} // namespace

void write_answers(const Profile& profile, const std::vector<ChosenBy>& deciders, const RankPicture& ranks,
                   std::ostream& out) {
    write_cards(profile, ranks, out);
    out << "<section class=\"sides\" id=\"answers\" aria-label=\"Answers\">\n";
    write_dearest(profile, out);
    out << "<div>";
    write_policy(profile, deciders, out);
    write_next_steps(next_steps(profile), out);
    out << "</div></section>\n";
}

} // namespace switchyard::shim::report
