#include "report_file.hpp"

#include "csv.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/log/native_json.hpp"
#include "shim/report/facts/cliffs.hpp"
#include "shim/report/facts/slow_start.hpp"
#include "shim/report/facts/what_moves.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace switchyard::shim::report {

namespace {

using nlohmann::ordered_json;

// The clock counts nanoseconds; further digits are noise from adding.
double rounded(double us) {
    return std::round(us * 1000) / 1000;
}

// By group.
using CliffOf = std::unordered_map<const CallGroup*, Cliff>;

CliffOf cliff_of_groups(const Profile& profile) {
    CliffOf of;
    for (const auto& cliff : cliffs_of(profile)) of.emplace(cliff.group, cliff);
    return of;
}

// Of the algorithm; null where it has no such phase or the log does not say it.
void add_phases(ordered_json& row, const Profile& profile, const CallGroup& group) {
    for (std::size_t i = 0; i < group.phase_us.size(); ++i)
        row[formatted("phase_{}_us", algorithms::phase_traits[i].name)] =
            group.phase_us[i] > 0 ? ordered_json(rounded(profile.per_rank(group.phase_us[i])))
                                  : ordered_json();
}

ordered_json json_of(const Profile& profile, const CallGroup& group, const CliffOf& cliffs) {
    const auto& kind = group.kind;
    const auto or_null = [](const std::string& text) {
        return text.empty() ? ordered_json() : ordered_json(text);
    };
    const double wall = profile.wall_us();
    const auto moves = what_moves_in(group);
    const auto if_known = [](const std::optional<double>& value) {
        return value ? ordered_json(*value) : ordered_json();
    };
    const auto start = slow_start_of(profile, group);
    const auto cliff = cliffs.find(&group);
    const auto if_cliff = [&](auto&& value) {
        return cliff != cliffs.end() ? ordered_json(rounded(value(cliff->second))) : ordered_json();
    };
    const auto if_slow = [&start](double us) {
        return start.calls > 0 ? ordered_json(rounded(us)) : ordered_json();
    };
    ordered_json row = {
        {"collective", kind.collective},
        {"ranks", kind.ranks},
        {"nodes", kind.nodes},
        {"ranks_per_node", kind.ranks_per_node},
        {"buffer", kind.buffer},
        {"transfer", or_null(kind.transfer)},
        {"in_place", kind.in_place},
        {"block_up_to_bytes", std::ldexp(1.0, static_cast<int>(kind.block_bits))},
        {"smallest_max_block_bytes", group.smallest_block},
        {"largest_max_block_bytes", group.largest_block},
        {"algorithm", kind.algorithm},
        {"parameters", kind.parameters},
        {"rule", or_null(kind.rule)},
        {"reason", kind.reason},
        {"calls", group.calls},
        {"total_us", rounded(profile.time_us(group))},
        {"wall_share", wall > 0 ? ordered_json(profile.time_us(group) / wall) : ordered_json()},
        {"median_us", rounded(group.call_us.median())},
        {"median_deviation_us", rounded(group.call_us.deviation())},
        {"p95_us", rounded(group.call_us.quantile(0.95))},
        {"max_over_mean", group.imbalance()},
        {"sent_bytes", std::round(group.bytes)},
        {"most_sent_bytes", std::round(group.most_sent)},
        {"near_int_limit_calls", group.near_int_limit},
        {"to_itself_share", if_known(moves.own_share)},
        {"empty_share", if_known(moves.empty_share)},
        {"partners", if_known(moves.partners)},
        {"most_partners", if_known(moves.most_partners)},
        {"block_skew", if_known(moves.skew)},
        {"messages_in_flight", if_known(moves.in_flight)},
        {"agree_us", rounded(profile.per_rank(group.rank_us.agree))},
        {"stage_us", rounded(profile.per_rank(group.rank_us.stage))},
        {"copy_us", rounded(profile.per_rank(group.rank_us.copy))},
        {"exchange_us", rounded(profile.per_rank(group.rank_us.exchange))},
        {"slow_first_calls", start.calls},
        {"slow_first_call_least_us", if_slow(start.least_us)},
        {"slow_first_call_most_us", if_slow(start.most_us)},
        {"slow_first_calls_cost_us", if_slow(start.cost_us)},
        {"slow_first_calls_waiting_us", if_slow(start.waiting_us)},
        {"cliff_times", if_cliff([](const Cliff& found) { return found.times(); })},
        {"cliff_faster_us", if_cliff([](const Cliff& found) { return found.faster_us; })},
        {"cliff_cost_us", if_cliff([](const Cliff& found) { return found.cost_us; })}};
    add_phases(row, profile, group);
    return row;
}

ordered_json json_of(const Profile& profile, const CountedKind& kind) {
    const double wall = profile.wall_us();
    const double us = profile.per_rank(kind.rank_us);
    return {{"collective", kind.name},
            {"calls", kind.calls},
            {"total_us", rounded(us)},
            {"most_us", rounded(kind.most_us)},
            {"wall_share", wall > 0 ? ordered_json(us / wall) : ordered_json()},
            {"sent_bytes", std::round(kind.bytes)}};
}

// Fills the columns of a group. What is not known of such calls stays empty.
ordered_json row_of(const Profile& profile, const CountedKind& kind) {
    auto row = json_of(profile, CallGroup{}, {});
    for (auto& value : row) value = nullptr;
    const auto known = json_of(profile, kind);
    for (const auto& [key, value] : known.items())
        if (row.contains(key)) row[key] = value;
    row["reason"] = "only counted";
    return row;
}

// As in run.json; null if the log does not say it.
ordered_json json_of(const std::optional<NativeFacts>& native) {
    return native ? log::native_json(*native) : ordered_json();
}

ordered_json json_of(const RunFacts& run, const Profile& profile) {
    return {{"directory", run.directory},       {"program", run.program},
            {"command_line", run.command_line}, {"started", run.started},
            {"switchyard", run.version},        {"mpi_library", run.mpi_library},
            {"policy_file", run.policy_file},   {"ranks", profile.ranks},
            {"nodes", profile.nodes()},         {"wall_us", rounded(profile.wall_us())},
            {"wall_is_known", run.wall_us > 0}, {"partial", run.partial},
            {"sessions", run.sessions},         {"summary", run.summary},
            {"records_dropped", run.dropped},   {"near_int_limit", run.int_limit},
            {"native", json_of(run.native)}};
}

} // namespace

void write_csv(const Profile& profile, std::ostream& out) {
    const auto cliffs = cliff_of_groups(profile);
    out << csv_names(json_of(profile, CallGroup{}, {})) << '\n'; // a log without calls also gets the names
    for (const auto& group : profile.groups) out << csv_values(json_of(profile, group, cliffs)) << '\n';
    for (const auto& kind : profile.run.counted) out << csv_values(row_of(profile, kind)) << '\n';
}

void write_json(const Profile& profile, std::ostream& out) {
    ordered_json groups = ordered_json::array();
    const auto cliffs = cliff_of_groups(profile);
    for (const auto& group : profile.groups) groups.push_back(json_of(profile, group, cliffs));
    ordered_json counted = ordered_json::array();
    for (const auto& kind : profile.run.counted) counted.push_back(json_of(profile, kind));
    const ordered_json report = {{"format", "switchyard report 1"},
                                 {"run", json_of(profile.run, profile)},
                                 {"totals",
                                  {{"calls", profile.calls},
                                   {"routed", profile.routed},
                                   {"unreadable_lines", profile.unreadable},
                                   {"truncated", profile.truncated()},
                                   {"total_us", rounded(profile.per_rank(profile.rank_us.whole))},
                                   {"all_collectives_us", rounded(profile.per_rank(profile.all_rank_us()))},
                                   {"agree_us", rounded(profile.per_rank(profile.rank_us.agree))},
                                   {"stage_us", rounded(profile.per_rank(profile.rank_us.stage))},
                                   {"copy_us", rounded(profile.per_rank(profile.rank_us.copy))},
                                   {"exchange_us", rounded(profile.per_rank(profile.rank_us.exchange))}}},
                                 {"groups", std::move(groups)},
                                 {"seen", std::move(counted)}};
    out << json_text(report, 2) << '\n';
}

} // namespace switchyard::shim::report
