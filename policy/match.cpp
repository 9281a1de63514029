#include "match.hpp"

namespace switchyard::policy {

bool matches(const Candidate& candidate, const Features& call) {
    return candidate.max_block_bytes.contains(call.max_block_bytes) &&
           candidate.total_bytes.contains(call.total_bytes) && candidate.skew.contains(call.skew) &&
           (!candidate.buffer || *candidate.buffer == call.buffer);
}

PassedOver why_passed_over(const Candidate& candidate, const Features& call) {
    if (!candidate.blocked.empty()) return PassedOver::blocked;
    if (call.max_block_bytes >= candidate.left_from) return PassedOver::goes_directly;
    const Choice& choice = candidate.choice;
    const bool on_device = candidate.devices && call.buffer == Buffer::device;
    if (on_device && choice.transfer == Transfer::direct && !call.gpu_aware) return PassedOver::not_gpu_aware;
    if (on_device && choice.transfer == Transfer::ipc && !call.ipc) return PassedOver::not_mapped;
    if (choice.memory_limit_bytes == no_memory_limit) return PassedOver::no;
    const bool stages = on_device && limits_staging(choice);
    const std::size_t needed = scratch_bytes(choice, call) + (stages ? call.staging_bytes : 0);
    return needed > choice.memory_limit_bytes ? PassedOver::over_memory_limit : PassedOver::no;
}

Match choose(const Shortlist& shortlist, const Features& call, std::size_t from) {
    Match match;
    if (shortlist.first_takes_all && from == 0) return match;
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

} // namespace switchyard::policy
