#include "prune.hpp"
#include "admissible.hpp"
#include "candidates.hpp"
#include "mismatch.hpp"
#include "reason.hpp"

#include <algorithm>

namespace switchyard::policy {

namespace {

using algorithms::Traits;

void close(Shortlist& shortlist, const FixedFeatures& fixed) {
    if (!ends_the_walk(shortlist) || !shortlist.candidates.back().choice.algorithm->native) {
        shortlist.candidates.emplace_back();
        shortlist.candidates.back().choice = native_choice(fixed, "native");
    }
    set_facts(shortlist);
}

// ---- Shortlists with nothing but native -----------------------------------------------------------------

// A rule may want copies of device buffers for the native calls that it takes.
bool transfers_differ(const Shortlist& shortlist) {
    const auto& first = shortlist.candidates.front().choice.transfer;
    return std::ranges::any_of(shortlist.candidates, [&](const Candidate& candidate) {
        return candidate.devices && candidate.choice.transfer != first;
    });
}

// `a; b`, and of many only the first: `a; b; c; and 97 more`. The log repeats the text at every call.
std::string some_of(const std::vector<std::string>& reasons) {
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(reasons.size(), most); ++i) text += (i > 0 ? "; " : "") + reasons[i];
    return reasons.size() > most ? text + "; and " + std::to_string(reasons.size() - most) + " more" : text;
}

std::string reason_of_all(const Shortlist& natives) {
    std::vector<std::string> blocked;
    for (const Candidate& candidate : natives.candidates)
        if (!candidate.blocked.empty())
            blocked.push_back(label_of(candidate.choice) + " cannot run: " + candidate.blocked);
    return "native whichever rule matches" + (blocked.empty() ? "" : "; " + some_of(blocked));
}

// If every candidate is native, an agreement on the block only tells which candidate takes a call: a waste.
// One candidate is left, and one reason for the log.
void merge_natives(Shortlist& shortlist, const FixedFeatures& fixed) {
    if (!shortlist.always_native || (!shortlist.looks_at_block && !shortlist.looks_at_buffer) ||
        transfers_differ(shortlist))
        return;
    Candidate native;
    native.choice = native_choice(fixed, reason_of_all(shortlist));
    native.choice.transfer = shortlist.candidates.front().choice.transfer;
    native.devices = fixed.devices;
    shortlist.candidates.assign(1, native);
    set_facts(shortlist);
}

// ---- Buffers that overlap -------------------------------------------------------------------------------

bool tells_overlap_apart(const Use& use, Collective collective) {
    const Traits* traits = find(collective, use.algorithm);
    if (traits == nullptr) return false;
    if (traits->has(algorithms::takes_overlap)) return true;
    // A use whose large blocks go directly is meant to have no agreement.
    const bool sends_directly =
        use.parameters[static_cast<std::size_t>(algorithms::Parameter::direct_from)].has_value();
    return limits_workspace(*traits, use) && !sends_directly;
}

bool tells_overlap_apart(const Rule& rule, const FixedFeatures& fixed) {
    FixedFeatures in_place = fixed;
    in_place.in_place = true;
    const bool is_alive = can_be_met(rule, fixed) || can_be_met(rule, in_place);
    return is_alive && (rule.when.in_place || tells_overlap_apart(rule.use, fixed.collective));
}

bool tells_overlap_apart(const Policy& policy, const FixedFeatures& fixed) {
    return std::ranges::any_of(policy.rules,
                               [&](const Rule& rule) { return tells_overlap_apart(rule, fixed); }) ||
           tells_overlap_apart(policy.otherwise, fixed.collective);
}

FixedFeatures with_overlap(FixedFeatures fixed) {
    fixed.in_place = fixed.overlapping = true;
    return fixed;
}

bool may_overlap_unnoticed(const FixedFeatures& fixed) {
    return !fixed.in_place && taking_overlap(fixed.collective) != nullptr;
}

// All ranks must know whether a call's buffers overlap, unless the call is native either way.
void agree_on_overlap(Shortlist& shortlist, bool always_native_with_overlap) {
    if (shortlist.always_native && always_native_with_overlap) return;
    shortlist.looks_at_overlap = true;
    shortlist.always_native = false;
}

} // namespace

Shortlist all_candidates(const Policy& policy, const FixedFeatures& fixed) {
    Shortlist shortlist;
    for (const Rule& rule : policy.rules) {
        if (ends_the_walk(shortlist)) break;
        if (can_be_met(rule, fixed)) append(shortlist, rule.use, {"rule", &rule}, fixed);
    }
    if (!ends_the_walk(shortlist)) append(shortlist, policy.otherwise, {"otherwise"}, fixed);
    close(shortlist, fixed);
    return shortlist;
}

Shortlist prune(const Policy& policy, const FixedFeatures& fixed) {
    Shortlist shortlist = all_candidates(policy, fixed);
    merge_natives(shortlist, fixed);
    if (may_overlap_unnoticed(fixed) && tells_overlap_apart(policy, fixed))
        agree_on_overlap(shortlist, all_candidates(policy, with_overlap(fixed)).always_native);
    return shortlist;
}

Shortlist prune(const Use& forced, const FixedFeatures& fixed) {
    Shortlist shortlist;
    append(shortlist, forced, {"forced"}, fixed);
    close(shortlist, fixed);
    if (may_overlap_unnoticed(fixed) && tells_overlap_apart(forced, fixed.collective))
        agree_on_overlap(shortlist, prune(forced, with_overlap(fixed)).always_native);
    return shortlist;
}

} // namespace switchyard::policy
