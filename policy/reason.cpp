#include "reason.hpp"
#include "rule_name.hpp"

#include <algorithm>

namespace switchyard::policy {

namespace {

std::string reason_of_adaptive(const Shortlist& shortlist, const Match& match) {
    if (match.phase == Phase::trial) return "adaptive: trial";
    if (match.phase == Phase::proof) return "adaptive: proof";
    if (match.phase == Phase::re_check) return "adaptive: re-check";
    const Candidate& best = shortlist.candidates[match.candidate];
    return "adaptive: best of " + std::to_string(shortlist.adaptives[*best.adaptive].count);
}

} // namespace

std::string describe(const Choice& choice) {
    std::string text(choice.algorithm->name);
    for (const algorithms::Parameter parameter : choice.algorithm->parameters) {
        const algorithms::ParameterTraits& traits = traits_of(parameter);
        const auto value = choice.parameters[parameter];
        if (!is_absent(traits, value)) text += ' ' + std::string(traits.name) + '=' + text_of(traits, value);
    }
    return text;
}

std::string label_of(const Choice& choice) {
    return choice.rule.empty() ? choice.reason : rule_called(choice.rule);
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
    case PassedOver::not_mapped: return "some rank's blocks cannot be copied from GPU to GPU";
    case PassedOver::no_staging_memory:
        return "some rank has no host memory for copies of its device buffers";
    case PassedOver::rank_lost: return "a rank died, or the program revoked the communicator";
    }
    return "";
}

std::string some_of(const std::vector<std::string>& reasons) {
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(reasons.size(), most); ++i) text += (i > 0 ? "; " : "") + reasons[i];
    return reasons.size() > most ? text + "; and " + std::to_string(reasons.size() - most) + " more" : text;
}

std::string reason_of(const Shortlist& shortlist, const Match& match) {
    if (match.phase != Phase::none) return reason_of_adaptive(shortlist, match);
    if (match.why == PassedOver::no) return shortlist.candidates[match.candidate].choice.reason;
    const Candidate& passed = shortlist.candidates[match.passed];
    return label_of(passed.choice) + " passed over: " + describe(passed, match.why);
}

} // namespace switchyard::policy
