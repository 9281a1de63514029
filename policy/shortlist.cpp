#include "shortlist.hpp"

#include <algorithm>

namespace switchyard::policy {

namespace {

// This MPI may not take device buffers, or they may take too much host memory.
bool may_refuse_devices(const Candidate& candidate) {
    const Choice& choice = candidate.choice;
    return candidate.devices && candidate.blocked.empty() &&
           (choice.transfer == Transfer::direct || choice.transfer == Transfer::ipc ||
            limits_staging(choice));
}

bool maps_devices(const Candidate& candidate) {
    return candidate.devices && candidate.blocked.empty() && candidate.choice.transfer == Transfer::ipc;
}

bool has_scratch(const Candidate& candidate) {
    const Choice& choice = candidate.choice;
    return choice.algorithm->scratch_bytes != nullptr && choice.fixed_scratch_bytes != 0;
}

bool scratch_grows(const Candidate& candidate) {
    return has_scratch(candidate) && !candidate.choice.fixed_scratch_bytes;
}

bool takes_all_with_memory(const Candidate& candidate) {
    return candidate.blocked.empty() && !looks_at_block(candidate) && !looks_at_buffer(candidate) &&
           candidate.choice.memory_limit_bytes == no_memory_limit;
}

bool waits_before(const Candidate& candidate) {
    return candidate.blocked.empty() && candidate.choice.barrier_before;
}

bool takes_every_call(const Candidate& candidate) {
    return candidate.blocked.empty() && !looks_at_buffer(candidate) && !looks_at_block(candidate) &&
           !has_scratch(candidate);
}

} // namespace

Transfer transfer_of(const Choice& choice, bool gpu_aware) {
    if (choice.transfer) return *choice.transfer;
    return choice.algorithm->native && gpu_aware ? Transfer::direct : Transfer::staged;
}

std::size_t scratch_bytes(const Choice& choice, const Features& call) {
    if (choice.fixed_scratch_bytes) return *choice.fixed_scratch_bytes;
    const algorithms::Traits& traits = *choice.algorithm;
    return traits.scratch_bytes == nullptr
               ? 0
               : traits.scratch_bytes(shape_of(call), block_for_scratch(call), choice.parameters);
}

bool limits_staging(const Choice& choice) {
    return choice.memory_limit_bytes != no_memory_limit && transfer_of(choice, true) != Transfer::direct;
}

bool looks_at_block(const Candidate& candidate) {
    return candidate.max_block_bytes != Range{} || candidate.left_from != Candidate{}.left_from ||
           looks_at_totals(candidate);
}

bool looks_at_totals(const Candidate& candidate) {
    return candidate.total_bytes != Range{} || candidate.skew != Range{};
}

bool run_depends_on_block(const Candidate& candidate) {
    const Choice& choice = candidate.choice;
    const bool limited = choice.memory_limit_bytes != no_memory_limit && scratch_grows(candidate);
    return candidate.blocked.empty() && (limited || needs_agreed_block(*choice.algorithm, choice.parameters));
}

bool looks_at_buffer(const Candidate& candidate) {
    return candidate.buffer || may_refuse_devices(candidate);
}

bool runs_ours(const Candidate& candidate) {
    return candidate.blocked.empty() && !candidate.choice.algorithm->native;
}

bool ends_the_walk(const Shortlist& shortlist) {
    return !shortlist.candidates.empty() && takes_every_call(shortlist.candidates.back());
}

void set_facts(Shortlist& shortlist) {
    shortlist.looks_at_block = std::ranges::any_of(shortlist.candidates, [](const Candidate& candidate) {
        return looks_at_block(candidate) || run_depends_on_block(candidate);
    });
    shortlist.looks_at_totals = std::ranges::any_of(shortlist.candidates, looks_at_totals);
    shortlist.looks_at_buffer = std::ranges::any_of(shortlist.candidates, looks_at_buffer);
    shortlist.looks_at_mapping = std::ranges::any_of(shortlist.candidates, maps_devices);
    shortlist.first_takes_all =
        !shortlist.candidates.empty() && takes_all_with_memory(shortlist.candidates.front());
    shortlist.always_native = std::ranges::none_of(shortlist.candidates, [](const Candidate& candidate) {
        return runs_ours(candidate) || waits_before(candidate);
    });
}

} // namespace switchyard::policy
