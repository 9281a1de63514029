// The output of `switchyard report A B`.
#include "compare.hpp"
#include "csv.hpp"
#include "shim/common/formatted.hpp"
#include "text.hpp"
#include "text_table.hpp"
#include "units.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace switchyard::shim::report {

namespace {

constexpr std::array letters = {'A', 'B'};

std::string algorithms_text(const ComparedGroup& group) {
    const auto& [first, second] = group.sides;
    return shown(first.algorithms == second.algorithms ? first.algorithms
                                                       : first.algorithms + " -> " + second.algorithms,
                 300);
}

// Two runs of one program usually make the same calls: then one number is enough.
std::string calls_text(const ComparedGroup& group) {
    const auto first = count_text(group.sides[0].calls), second = count_text(group.sides[1].calls);
    return first == second ? first : first + " / " + second;
}

void print_both(const std::vector<ComparedGroup>& groups, std::ostream& out) {
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
                       calls_text(group), time_text(group.sides[0].call_us.median()),
                       time_text(group.sides[1].call_us.median()),
                       group.ratio() > 0 ? formatted("{:.2f}", group.ratio()) : "-",
                       time_text(group.sides[0].time_us), time_text(group.sides[1].time_us),
                       algorithms_text(group)});
    if (table.empty()) {
        out << "\nThe logs have no calls of the same collective, ranks and blocks\n";
        return;
    }
    out << "\nIn both (B/A: median of B over median of A; below 1 B is faster)\n";
    table.print(out);
}

void print_single(const std::vector<ComparedGroup>& groups, std::size_t side, std::ostream& out) {
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
                   count_text(here.calls), time_text(here.call_us.median()), time_text(here.time_us),
                   shown(here.algorithms, 300)});
    }
    if (table.empty()) return;
    out << "\nOnly in " << letters[side] << '\n';
    table.print(out);
}

nlohmann::ordered_json json_of(const ComparedGroup& group) {
    nlohmann::ordered_json line = {
        {"collective", group.collective},
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
    const auto or_null = [](double ratio) {
        return ratio > 0 ? nlohmann::ordered_json(ratio) : nlohmann::ordered_json();
    };
    line["median_ratio"] = or_null(group.ratio());
    line["mean_ratio"] = or_null(group.mean_ratio());
    line["in"] = group.in_both() ? "both" : group.sides[0].calls > 0 ? "a" : "b";
    return line;
}

} // namespace

void print_comparison(const Profiles& profiles, std::ostream& out) {
    for (std::size_t side = 0; side < 2; ++side) {
        const auto& profile = *profiles[side];
        out << letters[side] << ": ";
        print_head(profile, out);
        out << formatted("  {} calls, {} routed; {} in collectives, {} of the wall time\n", profile.calls,
                         profile.routed, time_text(profile.per_rank(profile.rank_us.whole)),
                         share_text(profile.per_rank(profile.rank_us.whole), profile.wall_us()));
        print_damage(profile, out);
    }
    const auto groups = compare(*profiles[0], *profiles[1]);
    print_both(groups, out);
    for (std::size_t side = 0; side < 2; ++side) print_single(groups, side, out);
}

void write_comparison_csv(const Profiles& profiles, std::ostream& out) {
    out << csv_names(json_of(ComparedGroup{})) << '\n';
    for (const auto& group : compare(*profiles[0], *profiles[1])) out << csv_values(json_of(group)) << '\n';
}

void write_comparison_json(const Profiles& profiles, std::ostream& out) {
    nlohmann::ordered_json report = {{"format", "switchyard comparison 1"}};
    for (std::size_t side = 0; side < 2; ++side) {
        const auto& profile = *profiles[side];
        report[side == 0 ? "a" : "b"] = {{"directory", profile.run.directory},
                                         {"calls", profile.calls},
                                         {"total_us", profile.per_rank(profile.rank_us.whole)},
                                         {"wall_us", profile.wall_us()},
                                         {"partial", profile.run.partial}};
    }
    auto& groups = report["groups"] = nlohmann::ordered_json::array();
    for (const auto& group : compare(*profiles[0], *profiles[1])) groups.push_back(json_of(group));
    out << json_text(report, 2) << '\n';
}

} // namespace switchyard::shim::report
