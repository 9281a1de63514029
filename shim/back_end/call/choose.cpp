#include "choose.hpp"

#include "algorithms/transport/messages/votes.hpp"

#include <algorithm>

namespace switchyard::shim {

namespace {

// The first candidate whose memory is available on all ranks. Everything here is the same on all ranks, or agreed.
policy::Match first_with_memory(const CallContext& context, const Agreed& agreed, bool in_place) {
    const auto& plan = *agreed.plan;
    const auto features = features_of(context, agreed, in_place, plan.shortlist());
    auto match = policy::choose(plan.shortlist(), features);
    if (agreed.facts.not_ready && !plan.choice(match).algorithm->native)
        return native_instead({agreed.plan, match}, policy::PassedOver::scratch_does_not_fit);
    while (!context.state.resources()->reserve_for(plan.choice(match), features))
        match = policy::choose(plan.shortlist(), features, match.candidate + 1);
    return match;
}

bool takes_overlap(const policy::Choice& choice) {
    return choice.algorithm->has(algorithms::takes_overlap);
}

// The same on all ranks.
bool can_map(CommState& state, const Agreed& agreed, const policy::Choice& choice) {
    using enum device::DeviceWindow::Readiness;
    if (!agreed.facts.on_device || choice.transfer != policy::Transfer::ipc ||
        agreed.facts.mapping == unable || state.resources()->window == nullptr)
        return false;
    return agreed.facts.mapping == ready ||
           state.devices().window(state.ranks()).renew(state.resources()->group);
}

// Host memory for this rank's device buffers. False: some rank has none, and all ranks know.
bool can_stage(CommState& state, const Agreed& agreed, const policy::Choice& choice) {
    if (!agreed.facts.on_device || choice.transfer == policy::Transfer::direct) return true;
    return state.devices().reserve_staging(agreed.facts.staging_bytes, state.resources()->group.comm);
}

// What the ranks agreed on, or every rank knows.
void set_totals(policy::Features& features, const CallContext& context, const Agreed& agreed) {
    const auto& traits = algorithms::traits_of(features.collective);
    if (!traits.block_is_known()) {
        features.total_bytes = agreed.facts.total_bytes;
        features.skew = agreed.facts.skew;
        return;
    }
    const auto blocks = static_cast<std::uint64_t>(context.state.blocks());
    features.total_bytes = agreed.max_block * others_of(context);
    if (features.mean_block_bytes)
        features.skew = policy::skew_of(agreed.max_block, blocks, *features.mean_block_bytes * blocks);
}

} // namespace

policy::Features features_of(const CallContext& context, const Agreed& agreed, bool in_place,
                             const policy::Shortlist& shortlist) {
    policy::Features features;
    features.collective = context.call.collective;
    features.in_place = in_place;
    features.ranks = context.state.ranks();
    features.nodes = context.state.nodes();
    features.ranks_per_node = context.state.ranks_per_node();
    features.max_block_bytes = agreed.max_block;
    const auto& traits = algorithms::traits_of(features.collective);
    if (traits.sends_one_block() && traits.block_is_known())
        features.mean_block_bytes = context.measured.mean_block;
    if (shortlist.looks_at_totals) set_totals(features, context, agreed);
    features.buffer = agreed.facts.on_device ? policy::Buffer::device : policy::Buffer::host;
    features.overlapping = agreed.facts.overlapping;
    features.gpu_aware = !agreed.facts.unaware;
    features.ipc = agreed.facts.mapping != device::DeviceWindow::Readiness::unable;
    features.staging_bytes = agreed.facts.staging_bytes;
    return features;
}

bool packs_after_choice(const policy::Shortlist& shortlist) {
    return shortlist.looks_at_overlap || std::ranges::any_of(shortlist.candidates, [](const auto& candidate) {
               return takes_overlap(candidate.choice);
           });
}

policy::Match native_instead(const Decision& decision, policy::PassedOver why) {
    return {decision.plan->shortlist().candidates.size() - 1, decision.match.candidate, why};
}

Decision choose(const CallContext& context, const Agreed& agreed, bool in_place, bool packs_later,
                Packing& packing) {
    auto& state = context.state;
    Decision decision{agreed.plan, first_with_memory(context, agreed, in_place)};
    if (packs_later && !decision.is_native()) {
        if (takes_overlap(decision.choice())) packing.allow_overlap();
        if (!algorithms::all_agree(packing.reserve(), state.resources()->group.comm))
            decision.match = native_instead(decision, policy::PassedOver::scratch_does_not_fit);
    }
    if (decision.is_native()) return decision;
    decision.is_mapped = can_map(state, agreed, decision.choice());
    if (!decision.is_mapped && !can_stage(state, agreed, decision.choice()))
        decision.match = native_instead(decision, policy::PassedOver::no_staging_memory);
    return decision;
}

} // namespace switchyard::shim
