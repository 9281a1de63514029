// The text of `switchyard report A B`.
#include "agreement.hpp"
#include "compare.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/words.hpp"
#include "text.hpp"
#include "text_table.hpp"
#include "units.hpp"
#include "verdict.hpp"

namespace switchyard::shim::report {

namespace {

constexpr std::array letters = {'A', 'B'};

std::string algorithms_text(const ComparedGroup& group) {
    const auto& [first, second] = group.sides;
    return shown(first.algorithms == second.algorithms ? first.algorithms
                                                       : first.algorithms + " -> " + second.algorithms,
                 300);
}

// Of one run; the mean, where the runs make different numbers of calls.
std::string calls_text(const ComparedSide& side, const Pool& pool) {
    const auto runs = std::max<std::size_t>(1, pool.runs.size());
    if (side.calls % runs == 0) return count_text(side.calls / runs);
    return formatted("{:.1f}", pool.per_run(static_cast<double>(side.calls)));
}

// Two runs of one program usually make the same calls: then one number is enough.
std::string calls_text(const ComparedGroup& group, const Pools& pools) {
    const auto first = calls_text(group.sides[0], *pools[0]), second = calls_text(group.sides[1], *pools[1]);
    return first == second ? first : first + " / " + second;
}

void print_both(const std::vector<ComparedGroup>& groups, const Pools& pools, std::ostream& out) {
    TextTable table({{"collective", Align::left},
                     {"ranks"},
                     {"block <="},
                     {"calls"},
                     {"median A"},
                     {"median B"},
                     {"B/A"},
                     {"total A"},
                     {"total B"},
                     {"algorithm", Align::left, 36}});
    for (const auto& group : groups)
        if (group.in_both())
            table.row({shown(group.collective, 10), std::to_string(group.ranks), block_text(group.block_bits),
                       calls_text(group, pools), time_text(group.sides[0].call_us.median()),
                       time_text(group.sides[1].call_us.median()),
                       group.ratio() > 0 ? formatted("{:.2f}", group.ratio()) : "-",
                       time_text(pools[0]->per_run(group.sides[0].time_us)),
                       time_text(pools[1]->per_run(group.sides[1].time_us)), algorithms_text(group)});
    if (table.empty()) {
        out << "\nThe logs have no calls of the same collective, ranks and blocks\n";
        return;
    }
    const bool several = pools[0]->runs.size() > 1 || pools[1]->runs.size() > 1;
    out << "\nIn both (B/A: median of B over median of A; below 1 B is faster)\n"
        << (several ? "Medians are over the calls of all runs; calls and totals are those of one run\n" : "");
    table.print(out);
}

void print_single(const std::vector<ComparedGroup>& groups, const Pools& pools, std::size_t side,
                  std::ostream& out) {
    TextTable table({{"collective", Align::left},
                     {"ranks"},
                     {"block <="},
                     {"calls"},
                     {"median"},
                     {"total"},
                     {"algorithm", Align::left, 44}});
    for (const auto& group : groups) {
        const auto& here = group.sides[side];
        if (group.in_both() || here.calls == 0) continue;
        table.row({shown(group.collective, 10), std::to_string(group.ranks), block_text(group.block_bits),
                   calls_text(here, *pools[side]), time_text(here.call_us.median()),
                   time_text(pools[side]->per_run(here.time_us)), shown(here.algorithms, 300)});
    }
    if (table.empty()) return;
    out << "\nOnly in " << letters[side] << '\n';
    table.print(out);
}

std::string runs_text(const Pool& pool) {
    return counted(pool.runs.size(), "run");
}

std::string title_of(const Pool& pool) {
    const auto& run = pool.sum.run;
    return (run.program.empty() ? "a program" : shown(run.program)) + ", " +
           shape_text(pool.sum.ranks, pool.sum.nodes());
}

void print_facts(const Pool& pool, const std::string& folder, std::ostream& out) {
    const auto& run = pool.sum.run;
    out << title_of(pool) << ", " << runs_text(pool) << '\n';
    print_fact(out, "command", run.command_line);
    print_fact(out, "started", pool.runs.front().started + " to " + pool.runs.back().started);
    print_fact(out, "MPI", run.mpi_library);
    print_fact(out, "policy", run.policy_file);
    print_fact(out, "logs", folder);
}

void print_side(const Pool& pool, const std::string& folder, std::ostream& out) {
    const auto& sum = pool.sum;
    const bool one = pool.runs.size() == 1;
    if (one)
        print_head(sum, out);
    else
        print_facts(pool, folder, out);
    const double spent = sum.per_rank(sum.rank_us.whole);
    if (one)
        out << formatted("  {} calls, {} routed; {} in collectives, {} of the wall time\n", sum.calls,
                         sum.routed, time_text(spent), share_text(spent, sum.wall_us()));
    else
        out << formatted("  {} calls in {}, {} routed; {} of the wall time in collectives\n", sum.calls,
                         runs_text(pool), sum.routed, share_text(spent, pool.wall_us()));
    for (const auto& remark : pool.remarks) out << "  " << remark << '\n';
}

// ---- What each side takes -------------------------------------------------------------------------------

std::string deviation_text(const Spread& spread) {
    return spread.count > 1 ? time_text(spread.deviation) : "-";
}

std::vector<std::string> cells_of(const std::string& what, const Paired& paired) {
    std::vector<std::string> cells = {what};
    for (const auto& side : paired.sides) {
        cells.push_back(side.count > 0 ? time_text(side.median) : "-");
        cells.push_back(deviation_text(side));
    }
    return cells;
}

void add_row(TextTable& table, const std::string& what, const Paired& paired) {
    auto cells = cells_of(what, paired);
    cells.push_back(paired.pairs() > 0 ? formatted("{:.2f}", paired.ratio.median) : "-");
    cells.push_back(paired.pairs() > 1 ? formatted("{:.2f}", paired.ratio.deviation) : "-");
    cells.push_back(paired.pairs() > 0 ? won_text(paired) : "-");
    table.row(std::move(cells));
}

// A part of the row before. A side without agreements would give it a ratio that says nothing.
void add_part(TextTable& table, const std::string& what, const Paired& paired) {
    auto cells = cells_of("  " + what, paired);
    cells.insert(cells.end(), 3, "-");
    table.row(std::move(cells));
}

// Runs of one side without a partner on the other.
std::string partners_text(const Pools& pools) {
    const std::array counts = {pools[0]->runs.size(), pools[1]->runs.size()};
    if (counts[0] == 1 && counts[1] == 1)
        return "one run of each: their spread is not known, so the difference can be chance";
    const std::size_t longer = counts[0] > counts[1] ? 0 : 1;
    const auto pairs = counts[1 - longer], single = counts[longer] - pairs;
    auto text = formatted("{}, by the order of start", counted(pairs, "pair"));
    if (single > 0)
        text += formatted("; the last {} of {} {} no partner", counted(single, "run"), letters[longer],
                          single == 1 ? "has" : "have");
    return text;
}

void print_totals(const Pools& pools, const Paired& wall, const Paired& collectives, std::ostream& out) {
    TextTable table({{"", Align::left},
                     {"median A"},
                     {"MAD"},
                     {"median B"},
                     {"MAD"},
                     {"B/A"},
                     {"MAD"},
                     {"B is", Align::left}});
    add_row(table, "wall time", wall);
    add_row(table, "in collectives", collectives);
    add_part(table, "of it agreeing", paired(*pools[0], *pools[1], &RunFigures::agreeing_us));
    out << "\nWhat a run takes (B/A: median of the pairs' ratios; MAD: median absolute deviation)\n";
    table.print(out);
    out << "  " << partners_text(pools) << '\n';
    if (ran_one_after_the_other(*pools[0], *pools[1]))
        out << "  one side's runs all came before the other's, so a change of the machine's load counts as a "
               "difference: run A and B in turn\n";
}

// ---- The whole ------------------------------------------------------------------------------------------

void print_agreement(const Pools& pools, std::ostream& out) {
    std::string text;
    for (std::size_t side = 0; side < 2; ++side) {
        const auto sentence = agreement_sentence(pools[side]->sum, pools[side]->wall_us());
        if (sentence.empty()) continue;
        for (const auto& line : wrapped(formatted("{}: {}", letters[side], sentence), text_width))
            text += line + '\n';
    }
    if (!text.empty()) out << "\nWhat the agreement costs, waiting for late ranks included\n" << text;
}

void print_answer(const std::string& answer, std::ostream& out) {
    out << '\n';
    for (const auto& line : wrapped(answer, text_width)) out << line << '\n';
}

bool are_alike(const Pools& pools) {
    return pools[0]->is_of(pools[1]->sum.run);
}

void print_pair(const Folders& folders, const Pools& pools, std::ostream& out) {
    for (std::size_t side = 0; side < 2; ++side) {
        out << letters[side] << ": ";
        print_side(*pools[side], folders[side].path, out);
    }
    if (!are_alike(pools))
        out << "\nA and B differ in the program or in its number of ranks, so their times need not be "
               "comparable\n";
    const auto wall = paired(*pools[0], *pools[1], &RunFigures::wall_us);
    const auto collectives = paired(*pools[0], *pools[1], &RunFigures::collectives_us);
    print_totals(pools, wall, collectives, out);
    const auto groups = compare(pools[0]->sum, pools[1]->sum);
    print_both(groups, pools, out);
    for (std::size_t side = 0; side < 2; ++side) print_single(groups, pools, side, out);
    print_agreement(pools, out);
    print_answer(verdict(wall, collectives), out);
}

void print_unmatched(const Pools& pools, std::ostream& out) {
    const std::size_t side = pools[0] != nullptr ? 0 : 1;
    out << formatted("Only in {}, so compared with nothing: {}, {}\n", letters[side], title_of(*pools[side]),
                     runs_text(*pools[side]));
}

void print_mixture(const Folders& folders, std::ostream& out) {
    for (std::size_t side = 0; side < 2; ++side)
        if (const auto kinds = folders[side].pools.size(); kinds > 1)
            out << formatted(
                "{} mixes {} kinds of runs. Each program with each number of ranks is compared apart\n",
                letters[side], kinds);
}

} // namespace

void print_comparison(const Folders& folders, std::ostream& out) {
    const auto pairs = matched(folders);
    print_mixture(folders, out);
    for (std::size_t side = 0; side < 2; ++side)
        for (const auto& remark : folders[side].remarks) out << letters[side] << ": " << remark << '\n';
    const auto are_both = [](const Pools& pools) { return pools[0] != nullptr && pools[1] != nullptr; };
    for (const auto& pools : pairs)
        if (!are_both(pools)) print_unmatched(pools, out);
    for (const auto& pools : pairs) {
        if (!are_both(pools)) continue;
        if (pairs.size() > 1) out << '\n';
        print_pair(folders, pools, out);
    }
    if (!are_both(pairs.front()))
        print_answer(
            "Whether B is faster is not known: A and B have no program with the same number of ranks.", out);
}

} // namespace switchyard::shim::report
