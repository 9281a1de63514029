#include "reason.hpp"
#include "rule_name.hpp"

namespace switchyard::policy {

std::string describe(const Choice& choice) {
    std::string text(choice.algorithm->name);
    for (const algorithms::Parameter parameter : choice.algorithm->parameters) {
        const algorithms::ParameterTraits& traits = traits_of(parameter);
        const auto value = choice.parameters[parameter];
        if (!is_absent(traits, value)) text += ' ' + std::string(traits.name) + '=' + text_of(traits, value);
    }
    if (choice.barrier_before) text += " barrier_before=true";
    if (choice.in_flight_limit > 0) text += " in_flight_limit=" + std::to_string(choice.in_flight_limit);
    return text;
}

std::string label_of(const Choice& choice) {
    return choice.rule.empty() ? choice.reason : rule_called(choice.rule);
}

std::string describe(const Candidate& candidate, PassedOver why) {
    switch (why) {
    case PassedOver::no: return "";
    case PassedOver::blocked: return candidate.blocked;
    case PassedOver::goes_directly:
        return "its blocks would go directly, from " + std::to_string(candidate.left_from) +
               " bytes on (direct_from)";
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

std::string reason_of(const Shortlist& shortlist, const Match& match) {
    if (match.why == PassedOver::no) return shortlist.candidates[match.candidate].choice.reason;
    const Candidate& passed = shortlist.candidates[match.passed];
    return label_of(passed.choice) + " passed over: " + describe(passed, match.why);
}

} // namespace switchyard::policy
