#include "compare_words.hpp"

#include "agreement_time.hpp"
#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "verdict.hpp"

#include <algorithm>

namespace switchyard::shim::report {

namespace {

// The cell of a figure that is not known.
const ToldCell unknown = {"-", 0};

ToldCell time_of(double us) {
    return {time_text(us), us};
}

ToldCell ratio_of(double ratio) {
    return ratio > 0 ? ToldCell{formatted("{:.2f}", ratio), ratio} : unknown;
}

ToldCell count_of(int count) {
    return {std::to_string(count), static_cast<double>(count)};
}

// ---- A side ---------------------------------------------------------------------------------------------

std::string runs_text(const Pool& pool) {
    return text::plural(pool.runs.size(), "run");
}

std::string name_of(const Pool& pool) {
    const auto& run = pool.sum.run;
    return (run.program.empty() ? "a program" : shown(run.program)) + ", " +
           shape_text(pool.sum.ranks, pool.sum.nodes());
}

std::vector<Fact> facts_of_pool(const Pool& pool, const std::string& folder) {
    const auto& run = pool.sum.run;
    return {{"command", run.command_line},
            {"started", pool.runs.front().started + " to " + pool.runs.back().started},
            {"MPI", run.mpi_library},
            {"policy", run.policy_file},
            {"logs", folder}};
}

ToldSide side_of_one(const Pool& pool) {
    const auto& run = pool.sum;
    const double spent = run.per_rank(run.rank_us.whole);
    return {title_of(run),
            facts_of(run),
            formatted("{} calls, {} routed; {} in collectives, {} of the wall time", run.calls, run.routed,
                      time_text(spent), share_text(spent, run.wall_us())),
            state_of(run),
            {}};
}

ToldSide side_of_several(const Pool& pool, const std::string& folder) {
    const auto& sum = pool.sum;
    return {name_of(pool) + ", " + runs_text(pool),
            facts_of_pool(pool, folder),
            formatted("{} calls in {}, {} routed; {} of the wall time in collectives", sum.calls,
                      runs_text(pool), sum.routed,
                      share_text(sum.per_rank(sum.rank_us.whole), pool.wall_us())),
            {},
            {}};
}

ToldSide side_of(const Pool& pool, const std::string& folder) {
    auto side = pool.runs.size() == 1 ? side_of_one(pool) : side_of_several(pool, folder);
    side.remarks.insert(side.remarks.end(), pool.remarks.begin(), pool.remarks.end());
    side.agreement = agreement_sentence(pool.sum, pool.wall_us());
    return side;
}

// ---- What a run takes -----------------------------------------------------------------------------------

std::vector<Total> totals_of(const Pools& pools) {
    const auto& [a, b] = pools;
    std::vector<Total> totals = {{"wall time", paired(*a, *b, &RunFigures::wall_us)},
                                 {"in collectives", paired(*a, *b, &RunFigures::collectives_us)},
                                 {"in agreements", paired(*a, *b, &RunFigures::agreeing_us), true}};
    const auto counted = paired(*a, *b, &RunFigures::counted_us);
    if (counted.sides[0].count + counted.sides[1].count > 0) totals.push_back({"only counted", counted});
    return totals;
}

// A part has only the sides and no ratio: a side without agreements would make the ratio meaningless.
std::vector<ToldCell> row_of(const Total& total) {
    const auto& paired = total.paired;
    std::vector<ToldCell> row = {(total.is_part ? "  " : "") + total.what};
    for (const auto& side : paired.sides) {
        row.push_back(side.count > 0 ? time_of(side.median) : unknown);
        row.push_back(side.count > 1 ? time_of(side.deviation) : unknown);
    }
    const auto pairs = total.is_part ? 0 : paired.pairs();
    row.push_back(pairs > 0 ? ratio_of(paired.ratio.median) : unknown);
    row.push_back(pairs > 1 ? ToldCell{formatted("{:.2f}", paired.ratio.deviation), paired.ratio.deviation}
                            : unknown);
    row.push_back(pairs > 0 ? won_text(paired) : "-");
    return row;
}

ToldTable table_of(const std::vector<Total>& totals) {
    ToldTable table = {"What a run takes",
                       "B/A: median of the pairs' ratios; MAD: median absolute deviation",
                       {{"", Told::words},
                        {"median A"},
                        {"MAD"},
                        {"median B"},
                        {"MAD"},
                        {"B/A", Told::ratios},
                        {"MAD"},
                        {"B is", Told::words}}};
    for (const auto& total : totals) table.rows.push_back(row_of(total));
    return table;
}

// Runs of one side without a partner on the other.
std::string partners_text(const Pools& pools) {
    const std::array counts = {pools[0]->runs.size(), pools[1]->runs.size()};
    if (counts[0] == 1 && counts[1] == 1)
        return "one run of each: their spread is not known, so the difference can be chance";
    const std::size_t longer = counts[0] > counts[1] ? 0 : 1;
    const auto pairs = counts[1 - longer], single = counts[longer] - pairs;
    auto text = formatted("{}, by the order of start", text::plural(pairs, "pair"));
    if (single > 0)
        text += formatted("; the last {} of {} {} no partner", text::plural(single, "run"), letters[longer],
                          single == 1 ? "has" : "have");
    return text;
}

std::vector<std::string> pairing_of(const Pools& pools) {
    std::vector<std::string> sentences = {partners_text(pools)};
    if (ran_one_after_the_other(*pools[0], *pools[1]))
        sentences.push_back("one side's runs all came before the other's, so a change of the machine's load "
                            "counts as a difference: run A and B in turn");
    return sentences;
}

// ---- Call groups ----------------------------------------------------------------------------------------

std::string algorithms_text(const ComparedGroup& group) {
    const auto& [first, second] = group.sides;
    return shown(first.algorithms == second.algorithms ? first.algorithms
                                                       : first.algorithms + " -> " + second.algorithms,
                 300);
}

// Calls of one run; the mean, if the runs make different numbers of calls.
ToldCell calls_of(const ComparedSide& side, const Pool& pool) {
    const auto runs = std::max<std::size_t>(1, pool.runs.size());
    const double calls = pool.per_run(static_cast<double>(side.calls));
    return {side.calls % runs == 0 ? count_text(side.calls / runs) : formatted("{:.1f}", calls), calls};
}

// Two runs of one program usually make the same calls: then one number is enough.
ToldCell calls_of(const ComparedGroup& group, const Pools& pools) {
    const auto first = calls_of(group.sides[0], *pools[0]), second = calls_of(group.sides[1], *pools[1]);
    return {first.text == second.text ? first.text : first.text + " / " + second.text, *first.value};
}

std::vector<ToldCell> kind_of(const ComparedGroup& group) {
    return {shown(group.collective, 10),
            count_of(group.ranks),
            {block_text(group.block_bits), static_cast<double>(group.block_bits)}};
}

ToldTable in_both(const std::vector<ComparedGroup>& groups, const Pools& pools) {
    ToldTable table = {"Call groups in both",
                       "B/A: median of B over median of A; below 1 B is faster",
                       {{"collective", Told::words},
                        {"ranks"},
                        {"block <="},
                        {"calls"},
                        {"median A"},
                        {"median B"},
                        {"B/A", Told::ratios},
                        {"total A"},
                        {"total B"},
                        {"algorithm", Told::algorithms}}};
    table.without_rows = "The logs have no calls of the same collective, ranks and blocks";
    if (pools[0]->runs.size() > 1 || pools[1]->runs.size() > 1)
        table.note = "Medians are over the calls of all runs; calls and totals are those of one run";
    for (const auto& group : groups) {
        if (!group.in_both()) continue;
        auto& row = table.rows.emplace_back(kind_of(group));
        const auto& [a, b] = group.sides;
        row.insert(row.end(),
                   {calls_of(group, pools), time_of(a.call_us.median()), time_of(b.call_us.median()),
                    ratio_of(group.ratio()), time_of(pools[0]->per_run(a.time_us)),
                    time_of(pools[1]->per_run(b.time_us)), algorithms_text(group)});
    }
    return table;
}

ToldTable only_in(std::size_t side, const std::vector<ComparedGroup>& groups, const Pool& pool) {
    ToldTable table = {formatted("Call groups only in {}", letters[side]),
                       "",
                       {{"collective", Told::words},
                        {"ranks"},
                        {"block <="},
                        {"calls"},
                        {"median"},
                        {"total"},
                        {"algorithm", Told::algorithms}}};
    for (const auto& group : groups) {
        const auto& here = group.sides[side];
        if (group.in_both() || here.calls == 0) continue;
        auto& row = table.rows.emplace_back(kind_of(group));
        row.insert(row.end(), {calls_of(here, pool), time_of(here.call_us.median()),
                               time_of(pool.per_run(here.time_us)), shown(here.algorithms, 300)});
    }
    return table;
}

// ---- The whole ------------------------------------------------------------------------------------------

bool are_both(const Pools& pools) {
    return pools[0] != nullptr && pools[1] != nullptr;
}

ToldPools told(const Pools& pools, const Folders& folders) {
    const auto& [a, b] = pools;
    const bool are_alike = a->is_of(b->sum.run);
    const auto groups = compare(a->sum, b->sum);
    ToldPools told;
    told.name = are_alike ? name_of(*a) : name_of(*a) + " and " + name_of(*b);
    told.sides = {side_of(*a, folders[0].path), side_of(*b, folders[1].path)};
    if (!are_alike)
        told.unlike = "A and B differ in the program or in its number of ranks, so their times need not be "
                      "comparable";
    told.totals = totals_of(pools);
    told.takes = table_of(told.totals);
    told.pairing = pairing_of(pools);
    told.in_both = in_both(groups, pools);
    told.only_in = {only_in(0, groups, *a), only_in(1, groups, *b)};
    told.answer = verdict(told.totals[0].paired, told.totals[1].paired);
    const auto& wall = told.totals[0].paired;
    if (are_alike && !wall.is_sure()) told.next = more_pairs(a->sum, b->sum, wall.pairs());
    return told;
}

std::string single_text(const Pools& pools) {
    const std::size_t side = pools[0] != nullptr ? 0 : 1;
    return formatted("Only in {}, so compared with nothing: {}, {}", letters[side], name_of(*pools[side]),
                     runs_text(*pools[side]));
}

std::vector<std::string> remarks_on(const Folders& folders, const std::vector<Pools>& matches) {
    std::vector<std::string> remarks;
    for (std::size_t side = 0; side < 2; ++side)
        if (const auto kinds = folders[side].pools.size(); kinds > 1)
            remarks.push_back(formatted(
                "{} mixes {} kinds of runs. Each program with each number of ranks is compared apart",
                letters[side], kinds));
    for (std::size_t side = 0; side < 2; ++side)
        for (const auto& remark : folders[side].remarks)
            remarks.push_back(formatted("{}: {}", letters[side], remark));
    for (const auto& pools : matches)
        if (!are_both(pools)) remarks.push_back(single_text(pools));
    return remarks;
}

} // namespace

ToldFolders told(const Folders& folders) {
    const auto matches = matched(folders);
    ToldFolders all;
    all.remarks = remarks_on(folders, matches);
    for (const auto& pools : matches)
        if (are_both(pools)) all.pools.push_back(told(pools, folders));
    if (all.pools.empty())
        all.no_answer =
            "Whether B is faster is not known: A and B have no program with the same number of ranks.";
    return all;
}

} // namespace switchyard::shim::report
