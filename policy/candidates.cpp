#include "candidates.hpp"
#include "admissible.hpp"
#include "automatic.hpp"
#include "vocabulary.hpp"

namespace switchyard::policy {

namespace {

using algorithms::Parameter;
using algorithms::Traits;

// `otherwise` names one algorithm for all collectives, and not all of them have it.
Candidate candidate_without_algorithm(const Use& use, const FixedFeatures& fixed) {
    Candidate candidate;
    candidate.choice = native_choice(fixed, "");
    candidate.blocked = std::string(name_of(fixed.collective)) + " has no algorithm \"" + use.algorithm + '"';
    return candidate;
}

// `block`: of calls with blocks of up to so many bytes. Nothing: of all calls.
Choice choice_of(const Traits& traits, const Use& use, const FixedFeatures& fixed,
                 std::optional<std::size_t> block) {
    Choice choice;
    choice.algorithm = &traits;
    choice.parameters = resolve(traits, use, shape_of(fixed), block);
    if (traits.takes(Parameter::intra) && !fixed.shared_memory) // the log tells what will happen
        choice.parameters[Parameter::intra] = static_cast<std::int64_t>(algorithms::Intra::messages);
    choice.transfer = use.transfer;
    choice.chunk_bytes = use.chunk_bytes.value_or(preset_chunk_bytes);
    choice.barrier_before = use.barrier_before;
    choice.in_flight_limit = use.in_flight_limit.value_or(0);
    choice.memory_limit_bytes = use.memory_limit_bytes.value_or(no_memory_limit);
    return choice;
}

Candidate candidate_of(const Use& use, const FixedFeatures& fixed, std::optional<std::size_t> block) {
    const Traits* traits = algorithms::find(fixed.collective, use.algorithm);
    if (traits == nullptr) return candidate_without_algorithm(use, fixed);
    Candidate candidate;
    candidate.choice = choice_of(*traits, use, fixed, block);
    candidate.devices = fixed.devices;
    candidate.left_from = left_from(*traits, use);
    candidate.blocked = why_not_admissible(*traits, candidate.choice.parameters, fixed);
    if (candidate.blocked.empty()) candidate.blocked = why_not_admissible(*traits, use);
    if (candidate.blocked.empty()) candidate.blocked = why_not_admissible(*traits, use.transfer);
    const bool has_fixed_scratch =
        traits->scratch_bytes != nullptr &&
        (sends_directly(candidate.choice.parameters) || traits->has(algorithms::shared_memory));
    if (candidate.blocked.empty() && has_fixed_scratch)
        candidate.choice.fixed_scratch_bytes =
            traits->scratch_bytes(shape_of(fixed), 0, candidate.choice.parameters);
    return candidate;
}

void mark(Candidate& candidate, const Origin& origin, const FixedFeatures& fixed) {
    candidate.choice.reason = origin.reason;
    if (origin.rule == nullptr) return;
    candidate.choice.rule = origin.rule->name;
    candidate.total_bytes = origin.rule->when.total_bytes;
    candidate.skew = origin.rule->when.skew;
    // Without devices every call meets the rule's buffer, or the rule is not here.
    if (fixed.devices) candidate.buffer = origin.rule->when.buffer;
}

// Halves the auxiliary memory until the limit allows it. If the limit is too small even then, the
// algorithm is passed over.
void fit_auxiliary(Choice& choice, const FixedFeatures& fixed) {
    std::int64_t& auxiliary = choice.parameters[Parameter::auxiliary_bytes];
    const auto needed = [&] {
        return choice.algorithm->scratch_bytes(shape_of(fixed), 0, choice.parameters);
    };
    while (auxiliary > 1 && needed() > choice.memory_limit_bytes) auxiliary /= 2;
}

// A rule that limits memory wants an algorithm that needs little memory. For calls in place this is the
// algorithm that takes overlap.
std::optional<Candidate> stand_in_for(const Candidate& candidate, const Use& use,
                                      const FixedFeatures& fixed) {
    const Traits* traits = taking_overlap(fixed.collective);
    const Traits& own = *candidate.choice.algorithm;
    if (!fixed.in_place || traits == nullptr || &own == traits || !limits_workspace(own, use))
        return std::nullopt;
    Candidate other = candidate;
    other.stands_in = true;
    other.choice.algorithm = traits;
    other.choice.fixed_scratch_bytes.reset();
    other.choice.parameters = resolve(*traits, {}, fixed.ranks);
    fit_auxiliary(other.choice, fixed);
    other.blocked = why_not_admissible(*traits, other.choice.parameters, fixed);
    return other;
}

} // namespace

Choice native_choice(const FixedFeatures& fixed, std::string reason) {
    Choice choice;
    choice.algorithm = algorithms::find(fixed.collective, "native");
    choice.reason = std::move(reason);
    return choice;
}

bool limits_workspace(const Traits& traits, const Use& use) {
    const bool has_none = traits.has(algorithms::shared_memory); // except at most a byte for each rank
    return use.memory_limit_bytes.has_value() && traits.scratch_bytes != nullptr && !has_none;
}

namespace {

// A candidate for these calls. `block`: the largest of them, where parameters follow it.
void append_for(const Range& blocks, std::optional<std::size_t> block, Shortlist& shortlist, const Use& use,
                const Origin& origin, const FixedFeatures& fixed) {
    Candidate candidate = candidate_of(use, fixed, block);
    mark(candidate, origin, fixed);
    candidate.max_block_bytes = blocks;
    auto stand_in = stand_in_for(candidate, use, fixed);
    shortlist.candidates.push_back(std::move(candidate));
    if (stand_in) shortlist.candidates.push_back(*std::move(stand_in));
}

// A candidate for each range of blocks with the same parameters.
void append_by_block(const Traits& traits, const Range& blocks, Shortlist& shortlist, const Use& use,
                     const Origin& origin, const FixedFeatures& fixed) {
    constexpr std::uint64_t last = std::uint64_t{1} << 32U;
    const auto at = [&](std::uint64_t size) { return resolve(traits, use, shape_of(fixed), size); };
    std::uint64_t first = 0;
    for (std::uint64_t size = 1; size <= last; size *= 2) {
        if (size < last && at(size) == at(2 * size)) continue;
        const Range range{std::max(first, blocks.min), size < last ? std::min(size, blocks.max) : blocks.max};
        if (range.min <= range.max) append_for(range, size, shortlist, use, origin, fixed);
        first = size + 1;
    }
}

} // namespace

void append(Shortlist& shortlist, const Use& use, const Origin& origin, const FixedFeatures& fixed) {
    const Range blocks = origin.rule == nullptr ? Range{} : origin.rule->when.max_block_bytes;
    const Traits* traits = algorithms::find(fixed.collective, use.algorithm);
    if (traits != nullptr && follows_block(*traits, use, blocks != Range{}))
        append_by_block(*traits, blocks, shortlist, use, origin, fixed);
    else
        append_for(blocks, std::nullopt, shortlist, use, origin, fixed);
}

} // namespace switchyard::policy
