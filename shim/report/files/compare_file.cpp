#include "compare_file.hpp"

#include "csv.hpp"
#include "shim/report/facts/agreement_time.hpp"
#include "shim/report/facts/verdict.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace switchyard::shim::report {

namespace {

using nlohmann::ordered_json;

const Pool& any_of(const Pools& pools) {
    return pools[0] != nullptr ? *pools[0] : *pools[1];
}

std::string program_of(const Pools& pools) {
    return pools[0] == nullptr && pools[1] == nullptr ? "" : any_of(pools).sum.run.program;
}

ordered_json json_of(const ComparedGroup& group, const Pools& pools) {
    ordered_json line = {{"collective", group.collective},
                         {"ranks", group.ranks},
                         {"block_up_to_bytes", std::ldexp(1.0, static_cast<int>(group.block_bits))}};
    for (std::size_t side = 0; side < 2; ++side) {
        const auto& here = group.sides[side];
        const std::string end = side == 0 ? "_a" : "_b";
        line["calls" + end] = here.calls;
        line["median_us" + end] = here.call_us.median();
        line["total_us" + end] = here.time_us;
        line["algorithms" + end] = here.algorithms;
    }
    const auto or_null = [](double ratio) { return ratio > 0 ? ordered_json(ratio) : ordered_json(); };
    line["median_ratio"] = or_null(group.ratio());
    line["mean_ratio"] = or_null(group.mean_ratio());
    line["in"] = group.in_both() ? "both" : group.sides[0].calls > 0 ? "a" : "b";
    line["program"] = program_of(pools);
    for (std::size_t side = 0; side < 2; ++side)
        line[side == 0 ? "runs_a" : "runs_b"] = pools[side] != nullptr ? pools[side]->runs.size() : 0;
    return line;
}

std::vector<ComparedGroup> groups_of(const Pools& pools) {
    static const Profile nothing;
    return compare(pools[0] != nullptr ? pools[0]->sum : nothing,
                   pools[1] != nullptr ? pools[1]->sum : nothing);
}

// The median over all runs of a folder; null if the runs are of several kinds.
ordered_json median_of(const PooledFolder& folder, Figure figure) {
    if (folder.pools.size() != 1) return {};
    std::vector<double> values;
    for (const auto& run : folder.pools.front().runs)
        if (run.*figure > 0) values.push_back(run.*figure);
    return values.empty() ? ordered_json() : ordered_json(spread_of(std::move(values)).median);
}

ordered_json json_of(const PooledFolder& folder) {
    std::uint64_t calls = 0;
    std::size_t runs = 0;
    auto remarks = folder.remarks;
    for (const auto& pool : folder.pools) {
        calls += pool.sum.calls;
        runs += pool.runs.size();
        remarks.insert(remarks.end(), pool.remarks.begin(), pool.remarks.end());
    }
    const auto& first = folder.pools.front();
    return {{"directory", runs == 1 ? first.sum.run.directory : folder.path},
            {"calls", calls},
            {"total_us", median_of(folder, &RunFigures::collectives_us)},
            {"wall_us", median_of(folder, &RunFigures::wall_us)},
            {"partial", first.sum.run.partial},
            {"runs", runs},
            {"remarks", remarks}};
}

ordered_json json_of(const Paired& paired) {
    const auto or_null = [](const Spread& spread, double value, std::size_t fewest) {
        return spread.count >= fewest ? ordered_json(value) : ordered_json();
    };
    const auto& [a, b] = paired.sides;
    return {{"median_us_a", or_null(a, a.median, 1)},
            {"deviation_us_a", or_null(a, a.deviation, 2)},
            {"median_us_b", or_null(b, b.median, 1)},
            {"deviation_us_b", or_null(b, b.deviation, 2)},
            {"ratio", or_null(paired.ratio, paired.ratio.median, 1)},
            {"ratio_deviation", or_null(paired.ratio, paired.ratio.deviation, 2)},
            {"pairs", paired.pairs()},
            {"faster", paired.faster},
            {"slower", paired.slower},
            {"chance", paired.chance()}};
}

ordered_json comparison_json(const Pools& pools) {
    ordered_json comparison = {{"program", program_of(pools)}, {"ranks", any_of(pools).sum.ranks}};
    for (std::size_t side = 0; side < 2; ++side) {
        const std::string end = side == 0 ? "_a" : "_b";
        comparison["runs" + end] = pools[side] != nullptr ? pools[side]->runs.size() : 0;
        comparison["agreement" + end] =
            pools[side] != nullptr ? agreement_sentence(pools[side]->sum, pools[side]->wall_us()) : "";
    }
    if (pools[0] == nullptr || pools[1] == nullptr) return comparison;
    const auto wall = paired(*pools[0], *pools[1], &RunFigures::wall_us);
    const auto collectives = paired(*pools[0], *pools[1], &RunFigures::collectives_us);
    comparison["wall"] = json_of(wall);
    comparison["collectives"] = json_of(collectives);
    comparison["agreeing"] = json_of(paired(*pools[0], *pools[1], &RunFigures::agreeing_us));
    comparison["only_counted"] = json_of(paired(*pools[0], *pools[1], &RunFigures::counted_us));
    comparison["answer"] = verdict(wall, collectives);
    return comparison;
}

} // namespace

void write_comparison_csv(const Folders& folders, std::ostream& out) {
    out << csv_names(json_of(ComparedGroup{}, Pools{})) << '\n';
    for (const auto& pools : matched(folders))
        for (const auto& group : groups_of(pools)) out << csv_values(json_of(group, pools)) << '\n';
}

void write_comparison_json(const Folders& folders, std::ostream& out) {
    ordered_json report = {{"format", "switchyard comparison 1"},
                           {"a", json_of(folders[0])},
                           {"b", json_of(folders[1])},
                           {"comparisons", ordered_json::array()},
                           {"groups", ordered_json::array()}};
    for (const auto& pools : matched(folders)) {
        report["comparisons"].push_back(comparison_json(pools));
        for (const auto& group : groups_of(pools)) report["groups"].push_back(json_of(group, pools));
    }
    out << json_text(report, 2) << '\n';
}

} // namespace switchyard::shim::report
