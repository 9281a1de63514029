#include "policy_on_log.hpp"

#include "policy/mismatch.hpp"
#include "policy/prune.hpp"
#include "policy/reason.hpp"
#include "policy/vocabulary.hpp"

#include <algorithm>
#include <fmt/ranges.h>

namespace switchyard::shim::report {

namespace {

// A log has parameters in the order of its JSON, a choice in the order of the registry.
std::string in_any_order(const std::string& algorithm) {
    std::vector<std::string> words(1);
    for (const char c : algorithm) {
        if (c == ' ')
            words.emplace_back();
        else
            words.back() += c;
    }
    std::sort(words.begin() + 1, words.end());
    return fmt::format("{}", fmt::join(words, " "));
}

void add_to(PolicyGroup& group, const Call& call) {
    group.calls += call.calls;
    group.rank_us += call.time_mean * call.ranks_seen;
}

} // namespace

std::optional<policy::Features> features_of(const Call& call) {
    const auto collective = algorithms::collective_of(call.kind.collective);
    if (!collective || call.kind.ranks < 1) return std::nullopt;
    policy::Features features;
    features.collective = *collective;
    features.ranks = call.kind.ranks;
    features.nodes = std::max(1, call.kind.nodes);
    features.ranks_per_node = call.kind.ranks_per_node > 0 ? call.kind.ranks_per_node : call.kind.ranks;
    features.in_place = call.kind.in_place;
    features.devices = call.kind.buffer == "device";
    features.buffer = features.devices ? policy::Buffer::device : policy::Buffer::host;
    features.gpu_aware = call.kind.transfer == policy::transfer_names[0]; // "direct"
    features.max_block_bytes = call.max_block_bytes;
    return features;
}

bool PolicyGroup::changes() const {
    return transfer != kind.transfer || in_any_order(algorithm) != in_any_order(kind.algorithm_text());
}

PolicyOnLog::Kind& PolicyOnLog::kind_of(const Call& call, const policy::Features& features) {
    auto [found, is_new] = kinds_.try_emplace(call.kind);
    if (is_new)
        found->second = {
            features, std::make_shared<policy::Shortlist>(policy::all_candidates(policy_, features)), {}, 0};
    return found->second;
}

PolicyGroup PolicyOnLog::group_of(const Call& call, const Kind& kind, const policy::Match& match) const {
    const auto& choice = kind.shortlist->candidates[match.candidate].choice;
    PolicyGroup group;
    group.kind = call.kind;
    group.algorithm = policy::describe(choice);
    group.reason = policy::reason_of(*kind.shortlist, match);
    if (kind.call.buffer == policy::Buffer::device)
        group.transfer = policy::transfer_names[static_cast<std::size_t>(
            policy::transfer_of(choice, kind.call.gpu_aware))];
    for (std::size_t i = 0; i < policy_.rules.size(); ++i) // names are unique
        if (!choice.rule.empty() && policy_.rules[i].name == choice.rule) group.rule = i;
    return group;
}

void PolicyOnLog::add(const Call& call) {
    const auto features = features_of(call);
    if (!features) {
        PolicyGroup group;
        group.kind = call.kind;
        group.algorithm = "native";
        group.reason = "this version of switchyard does not know the collective";
        auto known = std::ranges::find(unknown_, call.kind, &PolicyGroup::kind);
        if (known == unknown_.end()) known = unknown_.insert(known, std::move(group));
        return add_to(*known, call);
    }
    auto& kind = kind_of(call, *features);
    const auto match = policy::choose(*kind.shortlist, *features);
    const auto [found, is_new] = kind.groups.try_emplace(
        {match.candidate, match.why == policy::PassedOver::no ? match.candidate : match.passed});
    if (is_new) found->second = group_of(call, kind, match);
    add_to(found->second, call);
    kind.rank_us += call.time_mean * call.ranks_seen;
}

std::vector<PolicyGroup> PolicyOnLog::groups() const {
    auto all = unknown_;
    for (const auto& [name, kind] : kinds_)
        for (const auto& [candidate, group] : kind.groups) all.push_back(group);
    std::ranges::sort(all, [](const PolicyGroup& left, const PolicyGroup& right) {
        return left.rank_us != right.rank_us
                   ? left.rank_us > right.rank_us
                   : std::tie(left.kind, left.algorithm) < std::tie(right.kind, right.algorithm);
    });
    return all;
}

std::string PolicyOnLog::why_idle(std::size_t index) const {
    const auto& rule = policy_.rules[index];
    const Kind *nearest = nullptr,
               *costliest = nullptr; // the costliest kind that meets its `when`, and the costliest of all
    for (const auto& [name, kind] : kinds_) {
        if (costliest == nullptr || kind.rank_us > costliest->rank_us) costliest = &kind;
        if (policy::why_not_met(rule, kind.call).empty() &&
            (nearest == nullptr || kind.rank_us > nearest->rank_us))
            nearest = &kind;
    }
    if (costliest == nullptr) return "the log has no calls";
    if (nearest == nullptr)
        return "no call matches; at the calls that cost most " +
               policy::why_not_met(rule, costliest->call);
    for (const auto& candidate : nearest->shortlist->candidates)
        if (candidate.choice.rule == rule.name)
            if (const auto why = policy::why_passed_over(candidate, nearest->call);
                why != policy::PassedOver::no)
                return "matches, but cannot run: " + policy::describe(candidate, why);
    return "an earlier rule takes all its calls";
}

std::vector<IdleRule> PolicyOnLog::idle_rules() const {
    std::vector<bool> fires(policy_.rules.size());
    for (const auto& [name, kind] : kinds_)
        for (const auto& [candidate, group] : kind.groups)
            if (group.rule) fires[*group.rule] = true;
    std::vector<IdleRule> idle;
    for (std::size_t i = 0; i < fires.size(); ++i)
        if (!fires[i]) idle.push_back({i, why_idle(i)});
    return idle;
}

} // namespace switchyard::shim::report
