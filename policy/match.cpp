#include "match.hpp"
#include "admissible.hpp"
#include "mismatch.hpp"
#include "vocabulary.hpp"

#include <algorithm>
#include <iterator>

namespace switchyard::policy {

namespace {

using algorithms::Parameter;
using algorithms::Traits;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

const Traits* native_of(Collective collective) {
    return algorithms::find(collective, "native");
}

Choice native_choice(const FixedFeatures& fixed, std::string reason) {
    Choice choice;
    choice.algorithm = native_of(fixed.collective);
    choice.reason = std::move(reason);
    return choice;
}

Candidate candidate_of(const Use& use, const FixedFeatures& fixed) {
    const Traits* traits = algorithms::find(fixed.collective, use.algorithm);
    Candidate candidate;
    if (traits == nullptr) { // `otherwise` names one algorithm for all collectives, and not all have it
        candidate.choice = native_choice(fixed, "");
        candidate.blocked =
            std::string(name_of(fixed.collective)) + " has no algorithm \"" + use.algorithm + '"';
        return candidate;
    }
    Choice& choice = candidate.choice;
    choice.algorithm = traits;
    choice.parameters = resolve(*traits, use, fixed.ranks);
    if (traits->takes(Parameter::intra) && !fixed.shared_memory) // what will happen is what the log says
        choice.parameters[Parameter::intra] = static_cast<std::int64_t>(algorithms::Intra::messages);
    choice.transfer = use.transfer;
    choice.chunk_bytes = use.chunk_bytes.value_or(preset_chunk_bytes);
    choice.memory_limit_bytes = use.memory_limit_bytes.value_or(no_limit);
    candidate.devices = fixed.devices;
    candidate.blocked = why_not_admissible(*traits, choice.parameters, fixed);
    if (candidate.blocked.empty()) candidate.blocked = why_not_admissible(*traits, use.transfer);
    return candidate;
}

// Where a use stands in the policy. Without a rule it is `otherwise`, or forced.
struct Origin {
    std::string reason;
    const Rule* rule = nullptr;

    void mark(Candidate& candidate, const FixedFeatures& fixed) const {
        candidate.choice.reason = reason;
        if (rule == nullptr) return;
        candidate.choice.rule = rule->name;
        candidate.max_block_bytes = rule->when.max_block_bytes;
        if (fixed.devices) candidate.buffer = rule->when.buffer; // else it is met, or the rule is not here
    }
};

bool limits_workspace(const Traits& traits, const Use& use) {
    return use.memory_limit_bytes.has_value() && traits.scratch_bytes != nullptr;
}

// Whoever limits memory asks for what needs little of it: in place that is an algorithm that takes overlap.
// Its auxiliary memory is what the limit leaves for it; with too small a limit it is passed over as well.
std::optional<Candidate> stand_in_for(const Candidate& candidate, const Use& use,
                                      const FixedFeatures& fixed) {
    const Traits* traits = taking_overlap(fixed.collective);
    const Traits& own = *candidate.choice.algorithm;
    if (!fixed.in_place || traits == nullptr || &own == traits || !limits_workspace(own, use))
        return std::nullopt;
    Candidate other = candidate;
    other.stands_in = true;
    Choice& choice = other.choice;
    choice.algorithm = traits;
    choice.parameters = resolve(*traits, {}, fixed.ranks);
    std::int64_t& auxiliary = choice.parameters[Parameter::auxiliary_bytes];
    const auto needed = [&] { return traits->scratch_bytes(shape_of(fixed), 0, choice.parameters); };
    while (auxiliary > 1 && needed() > choice.memory_limit_bytes) auxiliary /= 2;
    other.blocked = why_not_admissible(*traits, choice.parameters, fixed);
    return other;
}

// Native and whatever else can run here; native alone where nothing else can.
void append_adaptive(Shortlist& shortlist, const Use& use, const Origin& origin, const FixedFeatures& fixed) {
    std::vector<Candidate> members(1);
    members.front().choice = native_choice(fixed, "");
    members.front().devices = fixed.devices;
    std::string left_out;
    for (const Use& one : use.candidates) {
        if (!serves(one, fixed.collective)) continue;
        Candidate member = candidate_of(one, fixed);
        if (member.blocked.empty())
            members.push_back(std::move(member));
        else
            left_out += (left_out.empty() ? "" : "; ") + describe(member.choice) + ": " + member.blocked;
    }
    for (Candidate& member : members) origin.mark(member, fixed);
    if (members.size() > 1) {
        for (Candidate& member : members) member.adaptive = shortlist.adaptives.size();
        shortlist.adaptives.push_back(
            {shortlist.candidates.size(), members.size(), static_cast<int>(use.trials), std::move(left_out)});
    } else if (!left_out.empty()) {
        members.front().choice.reason = "adaptive: only native can run here; " + left_out;
    }
    std::move(members.begin(), members.end(), std::back_inserter(shortlist.candidates));
}

// A candidate, and who stands in for it.
void append(Shortlist& shortlist, const Use& use, const Origin& origin, const FixedFeatures& fixed) {
    if (use.is_adaptive()) return append_adaptive(shortlist, use, origin, fixed);
    Candidate candidate = candidate_of(use, fixed);
    origin.mark(candidate, fixed);
    auto stand_in = stand_in_for(candidate, use, fixed);
    shortlist.candidates.push_back(std::move(candidate));
    if (stand_in) shortlist.candidates.push_back(*std::move(stand_in));
}

bool looks_at_block(const Candidate& candidate) {
    return candidate.max_block_bytes != Range{};
}

// The limit holds for the memory that device buffers are staged through. Not for native calls that are staged
// only because the MPI could not take them at all.
bool limits_staging(const Choice& choice) {
    return choice.memory_limit_bytes != no_limit && transfer_of(choice, true) == Transfer::staged;
}

// Whether it is passed over for device buffers that this MPI cannot take, or that take too much host memory.
bool may_refuse_devices(const Candidate& candidate) {
    const Choice& choice = candidate.choice;
    return candidate.devices && candidate.blocked.empty() &&
           (choice.transfer == Transfer::direct || limits_staging(choice));
}

bool looks_at_buffer(const Candidate& candidate) {
    return candidate.buffer || may_refuse_devices(candidate);
}

// No call gets past such a candidate. Scratch may turn out not to fit, so an algorithm that takes some can be
// passed.
bool ends_the_walk(const Candidate& candidate) {
    return candidate.blocked.empty() && !looks_at_buffer(candidate) && !looks_at_block(candidate) &&
           candidate.choice.algorithm->scratch_bytes == nullptr;
}

bool ends_the_walk(const Shortlist& shortlist) {
    if (shortlist.candidates.empty()) return false;
    const Candidate& last = shortlist.candidates.back();
    return ends_the_walk(last.adaptive ? shortlist.candidates[shortlist.adaptives[*last.adaptive].first]
                                       : last);
}

bool runs_ours(const Candidate& candidate) {
    return candidate.blocked.empty() && !candidate.choice.algorithm->native;
}

// The algorithm itself needs the block, or the limit on its scratch does.
bool run_depends_on_block(const Candidate& candidate) {
    const Choice& choice = candidate.choice;
    const bool limited = choice.memory_limit_bytes != no_limit && choice.algorithm->scratch_bytes != nullptr;
    return candidate.blocked.empty() &&
           (limited || (choice.algorithm->needs & algorithms::agreed_block) != 0);
}

void set_facts(Shortlist& shortlist) {
    const auto& all = shortlist.candidates;
    // What is learned of small blocks says nothing of large ones, so an adaptive use looks at the block.
    shortlist.looks_at_block = std::any_of(all.begin(), all.end(), [](const Candidate& c) {
        return looks_at_block(c) || run_depends_on_block(c) || c.adaptive;
    });
    shortlist.looks_at_buffer = std::any_of(all.begin(), all.end(), looks_at_buffer);
    shortlist.always_native = std::none_of(all.begin(), all.end(), runs_ours);
}

void close(Shortlist& shortlist, const FixedFeatures& fixed) {
    if (!ends_the_walk(shortlist) || !shortlist.candidates.back().choice.algorithm->native) {
        shortlist.candidates.emplace_back();
        shortlist.candidates.back().choice = native_choice(fixed, "native");
    }
    set_facts(shortlist);
}

std::string label_of(const Choice& choice) {
    return choice.rule.empty() ? choice.reason : "rule \"" + choice.rule + '"';
}

// Of native calls each rank may have its device buffers staged or not as it likes.
bool transfers_differ(const Shortlist& shortlist) {
    const auto& first = shortlist.candidates.front().choice.transfer;
    return std::ranges::any_of(shortlist.candidates, [&](const Candidate& candidate) {
        return candidate.devices && candidate.choice.transfer != first;
    });
}

// Native whichever candidate a call takes: agreeing on the block only to know which would be a waste, so the
// log gets one reason for all of them.
void merge_natives(Shortlist& shortlist, const FixedFeatures& fixed) {
    if (!shortlist.always_native || (!shortlist.looks_at_block && !shortlist.looks_at_buffer) ||
        transfers_differ(shortlist))
        return;
    std::string reason = "native whichever rule matches";
    for (const Candidate& candidate : shortlist.candidates)
        if (!candidate.blocked.empty())
            reason += "; " + label_of(candidate.choice) + " cannot run: " + candidate.blocked;
    const auto transfer = shortlist.candidates.front().choice.transfer;
    shortlist.candidates.assign(1, Candidate{});
    shortlist.candidates.front().choice = native_choice(fixed, std::move(reason));
    shortlist.candidates.front().choice.transfer = transfer;
    shortlist.candidates.front().devices = fixed.devices;
    set_facts(shortlist);
}

// A use that tells calls whose buffers overlap from others.
bool looks_at_overlap(const Use& use, Collective collective) {
    if (use.is_adaptive())
        return std::ranges::any_of(use.candidates,
                                   [&](const Use& one) { return looks_at_overlap(one, collective); });
    const Traits* traits = find(collective, use.algorithm);
    return traits != nullptr && (traits->has(algorithms::takes_overlap) || limits_workspace(*traits, use));
}

bool looks_at_overlap(const Policy& policy, const FixedFeatures& fixed) {
    const auto looks = [&](const Rule& rule) {
        FixedFeatures in_place = fixed;
        in_place.in_place = true;
        const bool alive = why_never_met(rule, fixed).empty() || why_never_met(rule, in_place).empty();
        return alive && (rule.when.in_place || looks_at_overlap(rule.use, fixed.collective));
    };
    return std::any_of(policy.rules.begin(), policy.rules.end(), looks) ||
           looks_at_overlap(policy.otherwise, fixed.collective);
}

FixedFeatures overlapping(FixedFeatures fixed) {
    fixed.in_place = fixed.overlapping = true;
    return fixed;
}

// Where a rule looks at calls in place, all ranks have to know of a call whether its buffers overlap; unless
// it is native either way.
void agree_on_overlap(Shortlist& shortlist, bool always_native_with_overlap) {
    if (shortlist.always_native && always_native_with_overlap) return;
    shortlist.looks_at_overlap = true;
    shortlist.always_native = false;
}

bool may_overlap_unnoticed(const FixedFeatures& fixed) {
    return !fixed.in_place && taking_overlap(fixed.collective) != nullptr;
}

// A few texts, since the log names every outcome once.
std::string reason_of_adaptive(const Shortlist& shortlist, const Match& match) {
    if (match.phase == Phase::trial) return "adaptive: trial";
    if (match.phase == Phase::re_check) return "adaptive: re-check";
    const Candidate& best = shortlist.candidates[match.candidate];
    return "adaptive: best of " + std::to_string(shortlist.adaptives[*best.adaptive].count);
}

} // namespace

Shortlist all_candidates(const Policy& policy, const FixedFeatures& fixed) {
    Shortlist shortlist;
    for (const Rule& rule : policy.rules) {
        if (ends_the_walk(shortlist)) break;
        if (why_never_met(rule, fixed).empty()) append(shortlist, rule.use, {"rule", &rule}, fixed);
    }
    if (!ends_the_walk(shortlist)) append(shortlist, policy.otherwise, {"otherwise"}, fixed);
    close(shortlist, fixed);
    return shortlist;
}

Shortlist prune(const Policy& policy, const FixedFeatures& fixed) {
    Shortlist shortlist = all_candidates(policy, fixed);
    merge_natives(shortlist, fixed);
    if (may_overlap_unnoticed(fixed) && looks_at_overlap(policy, fixed))
        agree_on_overlap(shortlist, all_candidates(policy, overlapping(fixed)).always_native);
    return shortlist;
}

Shortlist prune(const Use& forced, const FixedFeatures& fixed) {
    Shortlist shortlist;
    append(shortlist, forced, {"forced"}, fixed);
    close(shortlist, fixed);
    if (may_overlap_unnoticed(fixed) && looks_at_overlap(forced, fixed.collective))
        agree_on_overlap(shortlist, prune(forced, overlapping(fixed)).always_native);
    return shortlist;
}

Transfer transfer_of(const Choice& choice, bool gpu_aware) {
    if (choice.transfer) return *choice.transfer;
    return choice.algorithm->native && gpu_aware ? Transfer::direct : Transfer::staged;
}

std::size_t scratch_bytes(const Choice& choice, const Features& call) {
    const Traits& traits = *choice.algorithm;
    return traits.scratch_bytes == nullptr
               ? 0
               : traits.scratch_bytes(shape_of(call), call.max_block_bytes, choice.parameters);
}

bool can_rest(const Shortlist& shortlist, std::size_t adaptive) {
    const Candidate& first = shortlist.candidates.front();
    return shortlist.looks_at_block && !shortlist.looks_at_buffer && !shortlist.looks_at_overlap &&
           first.adaptive == adaptive && !looks_at_block(first);
}

bool can_rest(const Shortlist& shortlist, std::size_t adaptive, std::size_t member) {
    const Candidate& candidate = shortlist.candidates[shortlist.adaptives[adaptive].first + member];
    return can_rest(shortlist, adaptive) && !run_depends_on_block(candidate) &&
           candidate.choice.algorithm->scratch_bytes == nullptr;
}

bool matches(const Candidate& candidate, const Features& call) {
    return candidate.max_block_bytes.contains(call.max_block_bytes) &&
           (!candidate.buffer || *candidate.buffer == call.buffer);
}

PassedOver why_passed_over(const Candidate& candidate, const Features& call) {
    if (!candidate.blocked.empty()) return PassedOver::blocked;
    const Choice& choice = candidate.choice;
    const bool on_device = candidate.devices && call.buffer == Buffer::device;
    if (on_device && choice.transfer == Transfer::direct && !call.gpu_aware) return PassedOver::not_gpu_aware;
    if (choice.memory_limit_bytes == no_limit) return PassedOver::no;
    const bool stages = on_device && limits_staging(choice);
    const std::size_t needed = scratch_bytes(choice, call) + (stages ? call.staging_bytes : 0);
    return needed > choice.memory_limit_bytes ? PassedOver::over_memory_limit : PassedOver::no;
}

Match choose(const Shortlist& shortlist, const Features& call, std::size_t from) {
    Match match;
    const std::size_t last = shortlist.candidates.size() - 1;
    for (std::size_t i = 0; i < last; ++i) {
        const Candidate& candidate = shortlist.candidates[i];
        if (!matches(candidate, call)) continue;
        PassedOver why = why_passed_over(candidate, call);
        if (why == PassedOver::no && i < from) why = PassedOver::scratch_does_not_fit;
        if (why == PassedOver::no) {
            match.candidate = i;
            return match;
        }
        if (match.why == PassedOver::no) {
            match.passed = i;
            match.why = why;
        }
    }
    match.candidate = last;
    return match;
}

std::string describe(const Candidate& candidate, PassedOver why) {
    switch (why) {
    case PassedOver::no: return "";
    case PassedOver::blocked: return candidate.blocked;
    case PassedOver::over_memory_limit:
        return "its workspace is over memory_limit_bytes " +
               std::to_string(candidate.choice.memory_limit_bytes);
    case PassedOver::scratch_does_not_fit: return "its workspace does not fit into the memory of every rank";
    case PassedOver::not_gpu_aware: return "the MPI is not GPU-aware on every rank";
    case PassedOver::no_staging_memory:
        return "host memory for its device buffers is not to be had on every rank";
    }
    return "";
}

std::string reason_of(const Shortlist& shortlist, const Match& match) {
    if (match.phase != Phase::none) return reason_of_adaptive(shortlist, match);
    if (match.why == PassedOver::no) return shortlist.candidates[match.candidate].choice.reason;
    const Candidate& passed = shortlist.candidates[match.passed];
    return label_of(passed.choice) + " passed over: " + describe(passed, match.why);
}

std::string describe(const Choice& choice) {
    std::string text(choice.algorithm->name);
    for (const Parameter parameter : choice.algorithm->parameters) {
        const algorithms::ParameterTraits& traits = traits_of(parameter);
        const std::int64_t value = choice.parameters[parameter];
        text += ' ' + std::string(traits.name) + '=';
        text += traits.choices.empty() ? std::to_string(value)
                                       : std::string(traits.choices[static_cast<std::size_t>(value)]);
    }
    return text;
}

} // namespace switchyard::policy
