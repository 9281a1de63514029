#include "policy_on_log.hpp"

#include "policy/mismatch.hpp"
#include "policy/prune.hpp"
#include "policy/reason.hpp"
#include "policy/rule_name.hpp"
#include "policy/vocabulary.hpp"
#include "shim/common/formatted.hpp"

#include <algorithm>

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
    return joined(words, " ");
}

void add_to(PolicyGroup& group, const Call& call) {
    group.calls += call.calls;
    group.rank_us += call.time_mean * call.ranks_seen;
}

} // namespace

policy::Network network_of(const RunFacts& run) {
    const auto rdma = policy::Network::rdma;
    return run.network == policy::network_names[static_cast<std::size_t>(rdma)] ? rdma : policy::Network::tcp;
}

std::optional<policy::Features> features_of(const Call& call, policy::Network network) {
    const auto collective = algorithms::collective_of(call.kind.collective);
    if (!collective || call.kind.ranks < 1) return std::nullopt;
    policy::Features features;
    features.collective = *collective;
    features.ranks = call.kind.ranks;
    features.nodes = std::max(1, call.kind.nodes);
    features.ranks_per_node = call.kind.ranks_per_node > 0 ? call.kind.ranks_per_node : call.kind.ranks;
    features.network = network;
    features.in_place = call.kind.in_place;
    features.devices = call.kind.buffer == "device";
    features.buffer = features.devices ? policy::Buffer::device : policy::Buffer::host;
    const auto travelled = [&](policy::Transfer transfer) {
        return call.kind.transfer == policy::transfer_names[static_cast<std::size_t>(transfer)];
    };
    features.gpu_aware = travelled(policy::Transfer::direct);
    features.ipc = travelled(policy::Transfer::ipc);
    features.max_block_bytes = call.max_block_bytes;
    features.total_bytes = static_cast<std::size_t>(most_sent_in_a_call(call));
    features.skew = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(skew_of(call)));
    return features;
}

bool PolicyGroup::changes() const {
    return transfer != kind.transfer || in_any_order(algorithm) != in_any_order(kind.algorithm_text());
}

PolicyOnLog::PolicyOnLog(const policy::Policy& policy, policy::Network network)
    : policy_(policy), network_(network) {
    for (std::size_t i = 0; i < policy.rules.size(); ++i) places_.emplace(policy.rules[i].name, i);
}

PolicyOnLog::Kind& PolicyOnLog::kind_of(const Call& call, const policy::Features& features) {
    auto [found, is_new] = kinds_.try_emplace(call.kind);
    auto& kind = found->second;
    const auto block = features.max_block_bytes;
    if (is_new) {
        kind.call = features;
        kind.least_block = kind.most_block = block;
    }
    kind.least_block = std::min(kind.least_block, block);
    kind.most_block = std::max(kind.most_block, block);
    if (!kind.shortlist) {
        if (candidates_ > most_candidates) forget_shortlists();
        kind.shortlist = std::make_unique<policy::Shortlist>(policy::all_candidates(policy_, kind.call));
        candidates_ += kind.shortlist->candidates.size();
    }
    return kind;
}

void PolicyOnLog::forget_shortlists() {
    for (auto& [name, kind] : kinds_) kind.shortlist.reset();
    candidates_ = 0;
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
    if (!choice.rule.empty()) group.rule = places_.at(choice.rule);
    return group;
}

void PolicyOnLog::add(const Call& call) {
    const auto features = features_of(call, network_);
    if (!features) {
        auto& group = unknown_[call.kind];
        group.kind = call.kind;
        group.algorithm = "native";
        group.reason = "this version of switchyard does not know the collective";
        return add_to(group, call);
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
    std::vector<PolicyGroup> all;
    for (const auto& [name, group] : unknown_) all.push_back(group);
    for (const auto& [name, kind] : kinds_)
        for (const auto& [candidate, group] : kind.groups) all.push_back(group);
    std::ranges::sort(all, [](const PolicyGroup& left, const PolicyGroup& right) {
        return left.rank_us != right.rank_us
                   ? left.rank_us > right.rank_us
                   : std::tie(left.kind, left.algorithm) < std::tie(right.kind, right.algorithm);
    });
    return all;
}

std::vector<const PolicyOnLog::Kind*> PolicyOnLog::by_cost() const {
    std::vector<const decltype(kinds_)::value_type*> order;
    for (const auto& kind : kinds_) order.push_back(&kind);
    std::ranges::sort(order, [](const auto* left, const auto* right) {
        return left->second.rank_us != right->second.rank_us ? left->second.rank_us > right->second.rank_us
                                                             : left->first < right->first;
    });
    std::vector<const Kind*> kinds;
    for (const auto* kind : order) kinds.push_back(&kind->second);
    return kinds;
}

namespace {

// The call that stands for its kind, and if blocks differ, the calls with the smallest and the largest block.
template <typename Kind>
std::vector<policy::Features> samples_of(const Kind& kind) {
    std::vector<policy::Features> samples = {kind.call};
    for (const std::size_t block : {kind.least_block, kind.most_block})
        if (block != kind.call.max_block_bytes) {
            samples.push_back(kind.call);
            samples.back().max_block_bytes = block;
        }
    return samples;
}

} // namespace

std::vector<std::vector<policy::Features>> PolicyOnLog::met_by(const std::vector<const Kind*>& kinds,
                                                               const std::vector<bool>& is_idle) const {
    std::vector<std::vector<policy::Features>> met(is_idle.size());
    for (const auto* kind : kinds)
        for (const auto& call : samples_of(*kind))
            for (std::size_t rule = 0; rule < is_idle.size(); ++rule)
                if (is_idle[rule] && met[rule].size() < most_examples &&
                    policy::is_met(policy_.rules[rule], call))
                    met[rule].push_back(call);
    return met;
}

std::string PolicyOnLog::why_cannot_run(std::size_t index, const policy::Features& call) const {
    const auto shortlist = policy::all_candidates(policy_, call);
    const auto taken = policy::choose(shortlist, call).candidate;
    for (std::size_t i = 0; i < taken; ++i) {
        const auto& candidate = shortlist.candidates[i];
        if (candidate.choice.rule != policy_.rules[index].name || !policy::matches(candidate, call)) continue;
        const auto why = policy::why_passed_over(candidate, call);
        if (why != policy::PassedOver::no) return policy::describe(candidate, why);
    }
    return "";
}

std::string PolicyOnLog::why_passed_over(std::size_t index,
                                         const std::vector<policy::Features>& calls) const {
    for (const auto& call : calls)
        if (const auto why = why_cannot_run(index, call); !why.empty())
            return "matches, but cannot run: " + why;
    const auto shortlist = policy::all_candidates(policy_, calls.front());
    const auto& choice = shortlist.candidates[policy::choose(shortlist, calls.front()).candidate].choice;
    const auto taker = places_.find(choice.rule);
    return taker == places_.end()
               ? "an earlier rule takes all its calls"
               : policy::rule_numbered(taker->second + 1, choice.rule) + " takes its calls";
}

std::string PolicyOnLog::why_not_met(const policy::Rule& rule, const std::vector<const Kind*>& kinds) const {
    const policy::Features* nearest = nullptr;
    std::size_t most_met = 0;
    for (std::size_t i = 0; i < std::min(kinds.size(), most_compared); ++i) {
        const auto met = policy::conditions_met(rule, kinds[i]->call);
        if (nearest != nullptr && met <= most_met) continue;
        nearest = &kinds[i]->call;
        most_met = met;
    }
    return nearest == nullptr
               ? "the log has no calls"
               : "no call matches; at the calls that come nearest, " + policy::why_not_met(rule, *nearest);
}

std::vector<IdleRule> PolicyOnLog::idle_rules() const {
    std::vector<bool> is_idle(policy_.rules.size(), true);
    for (const auto& [name, kind] : kinds_)
        for (const auto& [candidate, group] : kind.groups)
            if (group.rule) is_idle[*group.rule] = false;
    const auto kinds = by_cost();
    const auto met = met_by(kinds, is_idle);
    std::vector<IdleRule> idle;
    for (std::size_t i = 0; i < is_idle.size(); ++i)
        if (is_idle[i])
            idle.push_back(
                {i, met[i].empty() ? why_not_met(policy_.rules[i], kinds) : why_passed_over(i, met[i])});
    return idle;
}

Profile read_profile(const log::LoggedRun& run, RunFacts facts, PolicyOnLog& policy) {
    ProfileBuilder builder;
    const auto add = [&](const Call& call) {
        builder.add(call);
        policy.add(call);
    };
    for_each_call(run, add, [&] { builder.add_unreadable(); });
    return builder.take(std::move(facts));
}

} // namespace switchyard::shim::report
