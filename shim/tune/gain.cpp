#include "gain.hpp"

#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "shim/report/facts/agreement_time.hpp"
#include "shim/report/facts/pairs.hpp"
#include "shim/report/facts/verdict.hpp"
#include "shim/report/text/text_table.hpp"

namespace switchyard::shim::tune {

namespace {

using report::Paired;
using report::RunFigures;
using report::TextTable;

constexpr double little = 0.1; // of the wall time in collectives: a policy that halves it saves half of this

constexpr report::Sides sides = {"The program under the policy", "the bare program's"};

// With the least and the largest ratio of a round.
void add_row(TextTable& table, const std::string& what, const report::Pool& bare, const report::Pool& routed,
             report::Figure figure) {
    const auto all = paired(bare, routed, figure);
    if (all.pairs() == 0) return;
    table.row({what, time_text(all.sides[0].median), time_text(all.sides[1].median),
               formatted("{:.2f}", all.ratio.median), formatted("{:.2f}", all.least_ratio),
               formatted("{:.2f}", all.largest_ratio), won_text(all)});
}

void add_agreeing(TextTable& table, const Rounds& rounds) {
    const auto agreeing = paired(rounds.native, rounds.routed, &RunFigures::agreeing_us).sides[1];
    if (agreeing.count > 0)
        table.row({"  in agreements", "-", time_text(agreeing.median), "-", "-", "-", "-"});
}

void print_wrapped(const std::string& text, std::ostream& out) {
    for (const auto& line : report::wrapped(text, report::text_width)) out << line << '\n';
}

// How much of the bare program's time a policy can change.
double share_in_collectives(const Rounds& rounds) {
    const auto both = paired(rounds.bare, rounds.native, &RunFigures::wall_us);
    const auto spent = paired(rounds.native, rounds.routed, &RunFigures::collectives_us).sides[0].median;
    return both.sides[0].median > 0 ? spent / both.sides[0].median : 0;
}

void print_advice(const Rounds& rounds, const Paired& wall, const std::string& policy, std::ostream& out) {
    if (const auto cost = report::agreement_sentence(rounds.routed.sum, rounds.routed.wall_us());
        !cost.empty())
        print_wrapped(cost, out);
    if (wall.is_sure() && wall.faster > wall.slower) return;
    const double share = share_in_collectives(rounds);
    if (share < little)
        print_wrapped(formatted("The program spends {:.1f}% of its wall time in the collectives that a "
                                "policy can change, so no "
                                "policy saves more.",
                                100 * share),
                      out);
    else if (policy.empty())
        print_wrapped("`switchyard tune --program` looks for better rules.", out);
    else if (wall.is_sure())
        print_wrapped("Do not use this policy with this program.", out);
}

void print_what_ran(const Rounds& rounds, std::ostream& out) {
    const auto& sum = rounds.routed.sum;
    out << formatted("{:.0f} of {:.0f} calls of a run routed by {}\n",
                     rounds.routed.per_run(static_cast<double>(sum.routed)),
                     rounds.routed.per_run(static_cast<double>(sum.calls)), shown(sum.run.policy_file));
    if (rounds.same_lines == 0) return;
    const auto runs = rounds.bare.runs.size() + rounds.native.runs.size() + rounds.routed.runs.size();
    out << formatted("all {} runs print the same {}\n", runs,
                     rounds.same_lines == 1 ? "line" : text::plural(rounds.same_lines, "line"));
}

} // namespace

void print_gain(const Rounds& rounds, const std::string& policy, std::ostream& out) {
    TextTable table({{"", report::Align::left},
                     {"bare"},
                     {"policy"},
                     {"ratio"},
                     {"from"},
                     {"to"},
                     {"under the policy", report::Align::left}});
    add_row(table, "wall time", rounds.bare, rounds.routed, &RunFigures::wall_us);
    add_row(table, "in collectives", rounds.native, rounds.routed, &RunFigures::collectives_us);
    add_agreeing(table, rounds);
    out << '\n';
    table.print(out);
    out << "bare, in collectives: of the runs that leave all calls to MPI\n";
    print_what_ran(rounds, out);
    const auto wall = paired(rounds.bare, rounds.routed, &RunFigures::wall_us);
    const auto collectives = paired(rounds.native, rounds.routed, &RunFigures::collectives_us);
    out << '\n';
    print_wrapped(verdict(wall, collectives, sides), out);
    print_advice(rounds, wall, policy, out);
    out << formatted("call by call: switchyard report {} {}\n", rounds.native_logs.string(),
                     rounds.routed_logs.string());
}

} // namespace switchyard::shim::tune
