#include "agreement_advice.hpp"

#include "keys.hpp"
#include "prune.hpp"
#include "rule_name.hpp"
#include "text/lists.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace switchyard::policy {

namespace {

using algorithms::Parameter;

std::optional<std::int64_t>& direct_from_of(Use& use) {
    return use.parameters[static_cast<std::size_t>(Parameter::direct_from)];
}

// The keys of the rule that look at sizes of blocks.
std::vector<std::string> bounds_of(const When& when) {
    std::vector<std::string> names;
    for (const auto place : {key::max_block_bytes, key::total_bytes, key::skew})
        if (const Key& key = when_keys()[place]; key.wanted(when) != Range{}) names.emplace_back(key.name);
    return names;
}

void drop_bounds(When& when) {
    when.max_block_bytes = when.total_bytes = when.skew = Range{};
}

// The first block beyond the rule; automatic if the rule has no upper bound, or a bound beyond all
// values of the parameter.
std::int64_t first_block_beyond(const Rule& rule) {
    const auto max = rule.when.max_block_bytes.max;
    const auto most = static_cast<std::uint64_t>(algorithms::traits_of(Parameter::direct_from).maximum);
    return max < most ? static_cast<std::int64_t>(max) + 1 : algorithms::automatic;
}

// Large blocks go directly. Smaller ones travel as before.
std::string send_large_blocks_directly(Rule& rule) {
    const auto bounds = bounds_of(rule.when);
    const auto border = first_block_beyond(rule);
    direct_from_of(rule.use) = border;
    drop_bounds(rule.when);
    return "set direct_from to " + (border == algorithms::automatic ? "\"auto\"" : std::to_string(border)) +
           " in " + rule_called(rule.name) +
           (bounds.empty() ? "" : " instead of " + text::enumerated(bounds));
}

std::string drop_what_asks(Rule& rule) {
    auto dropped = bounds_of(rule.when);
    if (rule.use.memory_limit_bytes) dropped.emplace_back("memory_limit_bytes");
    drop_bounds(rule.when);
    rule.use.memory_limit_bytes.reset();
    return "drop " + text::enumerated(dropped) + " of " + rule_called(rule.name);
}

// A rule without its part in the agreement, as far as that is possible, and what was changed.
// No rule: it was dropped.
struct Change {
    std::optional<Rule> rule;
    std::string text;
};

Change spared(Rule rule, Collective collective) {
    const std::string name = rule_called(rule.name);
    const auto& traits = *find(collective, rule.use.algorithm); // the rule is in the shortlist
    // A native rule keeps later rules from some blocks. Without its bound it would keep them from all blocks.
    if (traits.native) return {std::nullopt, "drop " + name};
    std::string text;
    if (!traits.has(algorithms::agreed_block) || direct_from_of(rule.use))
        text = drop_what_asks(rule);
    else if (traits.takes(Parameter::direct_from))
        text = send_large_blocks_directly(rule);
    else
        text = name + " needs it for " + rule.use.algorithm;
    return {std::move(rule), std::move(text)};
}

bool causes_agreement(const Candidate& candidate) {
    return looks_at_block(candidate) || run_depends_on_block(candidate);
}

// `name`: of a rule; "": otherwise.
bool causes_agreement(const Shortlist& shortlist, const std::string& name) {
    return std::ranges::any_of(shortlist.candidates, [&](const Candidate& candidate) {
        return candidate.choice.rule == name && causes_agreement(candidate);
    });
}

// Changes the policy's first rule from `place` on that makes the ranks agree, and says how. `place` then
// leads to the next rule. "": no such rule is left.
std::string change_next(Policy& policy, const Shortlist& shortlist, Collective collective,
                        std::size_t& place) {
    for (auto& rules = policy.rules; place < rules.size(); ++place) {
        if (!causes_agreement(shortlist, rules[place].name)) continue;
        auto change = spared(std::move(rules[place]), collective);
        if (change.rule)
            rules[place++] = *std::move(change.rule);
        else
            rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(place));
        return std::move(change.text);
    }
    return "";
}

// `ranks` ranks on `nodes` nodes, spread as evenly as possible.
FixedFeatures alltoallv_of(int ranks, int nodes) {
    FixedFeatures call;
    call.ranks = ranks;
    call.nodes = std::min(nodes, ranks);
    call.ranks_per_node = (ranks + call.nodes - 1) / call.nodes;
    call.devices = false;
    return call;
}

} // namespace

bool agrees_on_block(const Shortlist& pruned, const FixedFeatures& call) {
    return pruned.looks_at_block && !pruned.always_native && !traits_of(call.collective).block_is_known();
}

std::string how_to_spare_agreement(const Policy& policy, const FixedFeatures& call) {
    constexpr std::size_t most_changes = 3; // nobody reads more in a sentence
    Policy changed = policy;
    std::string text;
    std::size_t place = 0;
    for (std::size_t changes = 0;; ++changes) {
        const Shortlist shortlist = prune(changed, call);
        if (!agrees_on_block(shortlist, call)) return text;
        if (changes == most_changes) return text + "; and so on";
        auto change = change_next(changed, shortlist, call.collective, place);
        const bool is_last = change.empty();
        if (is_last && causes_agreement(shortlist, "")) change = "otherwise needs it";
        if (!change.empty()) text += (text.empty() ? "" : "; ") + change;
        if (is_last) return text;
    }
}

namespace {

// A rule whose bounds on sizes make these ranks agree; null: there is none. ("auto" makes candidates with bounds,
// too.)
const Rule* rule_with_bounds(const Policy& policy, const Shortlist& shortlist) {
    for (const Candidate& candidate : shortlist.candidates) {
        if (!looks_at_block(candidate)) continue;
        const auto rule = std::ranges::find(policy.rules, candidate.choice.rule, &Rule::name);
        if (rule != policy.rules.end() && !bounds_of(rule->when).empty()) return &*rule;
    }
    return nullptr;
}

} // namespace

std::optional<BoundedCall> call_that_agrees_for_bound(const Policy& policy) {
    constexpr std::array usual_ranks = {4, 2, 16, 64, 512, 4096};
    constexpr std::array usual_nodes = {1, 2, 4, 16, 128, 4096};
    for (const int ranks : usual_ranks)
        for (const int nodes : usual_nodes) {
            const auto call = alltoallv_of(ranks, nodes);
            const auto shortlist = prune(policy, call);
            if (!agrees_on_block(shortlist, call)) continue;
            if (const Rule* rule = rule_with_bounds(policy, shortlist))
                return BoundedCall{call, bounds_of(rule->when)};
        }
    return std::nullopt;
}

} // namespace switchyard::policy
