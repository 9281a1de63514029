#include "profile.hpp"

#include <algorithm>
#include <numeric>

namespace switchyard::shim::report {

namespace {

RankTimes rank_times_of(const Call& call) {
    const double ranks = call.ranks_seen;
    return {ranks * call.time_mean, ranks * call.agree,
            ranks * call.stage,     ranks * call.copy(),
            ranks * call.exchange,  ranks * std::max(0.0, call.time_mean - call.time_min)};
}

void add_to(CallGroup& group, const Call& call, const RankTimes& times) {
    const bool first = group.calls == 0;
    group.calls += call.calls;
    group.rank_us += times;
    group.mean_us += call.time_mean;
    group.slowest_us += call.time_max;
    group.bytes += call.sent_bytes * call.ranks_seen;
    group.most_sent = std::max(group.most_sent, call.most_sent / static_cast<double>(call.calls));
    if (call.near_int_limit) group.near_int_limit += call.calls;
    group.smallest_block =
        first ? call.max_block_bytes : std::min(group.smallest_block, call.max_block_bytes);
    group.largest_block = std::max(group.largest_block, call.max_block_bytes);
    group.wire_bytes += call.wire_bytes;
    group.messages += call.messages;
    group.rounds += call.rounds;
    group.moved += call.moved;
#define SWITCHYARD_INSIDE(name, slot, place)                                                                 \
    group.phase_us[static_cast<std::size_t>(algorithms::Phase::name)] += call.ranks_seen * call.name;
#include "shim/common/log/fields.def"
    if (const double skew = skew_of(call); skew > 0) {
        group.skew += skew * static_cast<double>(call.calls);
        group.skewed_calls += call.calls;
    }
    group.call_us.add(call.time_mean / static_cast<double>(call.calls), call.calls);
    group.least_us.add(call.time_min / static_cast<double>(call.calls), call.calls);
    if (call.calls == 1) group.first_calls.add(call);
}

void add_to(CallGroup& group, const CallGroup& more) {
    const bool first = group.calls == 0;
    group.calls += more.calls;
    group.rank_us += more.rank_us;
    group.mean_us += more.mean_us;
    group.slowest_us += more.slowest_us;
    group.bytes += more.bytes;
    group.most_sent = std::max(group.most_sent, more.most_sent);
    group.near_int_limit += more.near_int_limit;
    group.smallest_block = first ? more.smallest_block : std::min(group.smallest_block, more.smallest_block);
    group.largest_block = std::max(group.largest_block, more.largest_block);
    group.wire_bytes += more.wire_bytes;
    group.messages += more.messages;
    group.rounds += more.rounds;
    group.moved += more.moved;
    for (std::size_t i = 0; i < group.phase_us.size(); ++i) group.phase_us[i] += more.phase_us[i];
    group.skew += more.skew;
    group.skewed_calls += more.skewed_calls;
    group.call_us.add(more.call_us);
    group.least_us.add(more.least_us);
}

// Sorted by time, then by kind: so two readings of a log give the same order.
void sort_groups(Profile& profile) {
    std::vector<std::uint32_t> order(profile.groups.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [&](std::uint32_t left, std::uint32_t right) {
        const auto& a = profile.groups[left];
        const auto& b = profile.groups[right];
        return a.rank_us.whole != b.rank_us.whole ? a.rank_us.whole > b.rank_us.whole : a.kind < b.kind;
    });
    std::vector<CallGroup> sorted;
    std::vector<std::uint32_t> place(order.size());
    for (const auto i : order) {
        place[i] = static_cast<std::uint32_t>(sorted.size());
        sorted.push_back(std::move(profile.groups[i]));
    }
    profile.groups = std::move(sorted);
    for (auto& mark : profile.marks) mark.group = place[mark.group];
}

} // namespace

RankTimes& RankTimes::operator+=(const RankTimes& other) {
    whole += other.whole;
    agree += other.agree;
    stage += other.stage;
    copy += other.copy;
    exchange += other.exchange;
    waiting += other.waiting;
    return *this;
}

int Profile::nodes() const {
    int most = static_cast<int>(run.hosts.size());
    for (const auto& group : groups)
        most = std::max(most, group.kind.nodes); // SWITCHYARD_RANKS_PER_NODE may emulate more
    return most;
}

std::vector<std::string> Profile::collectives() const {
    std::vector<std::string> names;
    for (const auto& group : groups)
        if (std::ranges::find(names, group.kind.collective) == names.end())
            names.push_back(group.kind.collective);
    return names;
}

std::uint64_t Profile::missing_calls() const {
    const std::uint64_t known = calls + unreadable + run.dropped;
    return run.calls_seen > known ? run.calls_seen - known : 0;
}

std::uint32_t ProfileBuilder::place_of(const CallKind& kind) {
    auto& groups = profile_.groups;
    const auto [found, is_new] = index_.try_emplace(kind, static_cast<std::uint32_t>(groups.size()));
    if (is_new) groups.emplace_back().kind = kind;
    return found->second;
}

void ProfileBuilder::add(const Call& call) {
    auto& profile = profile_;
    profile.torn = false;
    const auto place = place_of(call.kind);
    const auto times = rank_times_of(call);
    add_to(profile.groups[place], call, times);
    profile.marks.push_back(
        {call.begin, static_cast<float>(call.time_mean / static_cast<double>(call.calls)), place});
    profile.calls += call.calls;
    if (call.kind.algorithm != "native") profile.routed += call.calls;
    profile.rank_us += times;
    profile.end_us = std::max(profile.end_us, call.begin + call.time_max);
    profile.ranks = std::max(profile.ranks, call.kind.ranks);
}

void ProfileBuilder::add(const Profile& run) {
    for (const auto& group : run.groups) add_to(profile_.groups[place_of(group.kind)], group);
    profile_.calls += run.calls;
    profile_.routed += run.routed;
    profile_.rank_us += run.rank_us;
    profile_.end_us = std::max(profile_.end_us, run.end_us);
    profile_.ranks = std::max(profile_.ranks, run.ranks);
}

Profile ProfileBuilder::take(RunFacts run) {
    if (run.ranks > 0) profile_.ranks = run.ranks;
    profile_.run = std::move(run);
    sort_groups(profile_);
    return std::move(profile_);
}

Profile read_profile(const log::LoggedRun& run) {
    auto facts = facts_of(run);
    ProfileBuilder builder;
    for_each_call(
        run, [&](const Call& call) { builder.add(call); }, [&] { builder.add_unreadable(); });
    return builder.take(std::move(facts));
}

} // namespace switchyard::shim::report
