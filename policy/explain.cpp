#include "explain.hpp"
#include "match.hpp"
#include "mismatch.hpp"
#include "spelling.hpp"
#include "vocabulary.hpp"

namespace switchyard::policy {

namespace {

std::string counted(std::uint64_t count, std::string_view what) {
    return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

std::string heading(const Features& call) {
    return std::string(name_of(call.collective)) + " of " +
           counted(static_cast<std::uint64_t>(call.ranks), "rank") + " on " +
           counted(static_cast<std::uint64_t>(call.nodes), "node") + " (at most " +
           std::to_string(call.ranks_per_node) + " on one), largest block " +
           counted(call.max_block_bytes, "byte") + ", " +
           std::string(buffer_names[static_cast<std::size_t>(call.buffer)]) + " buffers" +
           (call.overlapping ? ", overlapping"
            : call.in_place  ? ", in place"
                             : "") +
           '\n';
}

std::string label_of(const Rule& rule, std::size_t index) {
    return "rule " + std::to_string(index + 1) + ' ' + in_quotes(rule.name);
}

// Names are unique, so a candidate finds its rule by it.
const Candidate* candidate_of(const Shortlist& shortlist, const Rule& rule) {
    for (const Candidate& candidate : shortlist.candidates)
        if (candidate.choice.rule == rule.name) return &candidate;
    return nullptr;
}

std::string why_not(const Rule& rule, const Shortlist& shortlist, const Features& call) {
    if (std::string why = why_not_met(rule, call); !why.empty()) return why;
    const Candidate* candidate = candidate_of(shortlist, rule);
    return candidate == nullptr ? "an earlier rule takes every such call"
                                : describe(*candidate, why_passed_over(*candidate, call));
}

// Of device buffers: by whom, and why.
std::string how_it_travels(const Choice& choice, const Features& call) {
    if (call.buffer == Buffer::host) return "";
    const bool is_staged = transfer_of(choice, call.gpu_aware) == Transfer::staged;
    std::string text = is_staged
                           ? "  transfer: staged, through pinned host memory of each rank that has device "
                             "buffers"
                           : "  transfer: direct, the MPI gets the device pointers";
    if (choice.transfer)
        text += ", as the rule says";
    else if (!choice.algorithm->native)
        text += ", as always where a rule does not say";
    else
        text += call.gpu_aware ? ", as it is GPU-aware" : ", as the MPI is not GPU-aware";
    if (is_staged && choice.algorithm->has(algorithms::moves_by_mpi_alone) && !choice.algorithm->native)
        text += "\n  copied back: " + counted(choice.chunk_bytes, "byte") +
                " at a time, while the rest is under way";
    return text + '\n';
}

std::string what_runs(const Choice& choice, const Features& call) {
    std::string text = describe(choice);
    if (choice.transfer)
        text += " transfer=" + std::string(transfer_names[static_cast<std::size_t>(*choice.transfer)]);
    text += '\n' + how_it_travels(choice, call);
    if (const std::size_t bytes = scratch_bytes(choice, call); bytes > 0)
        text += "  workspace: " + counted(bytes, "byte") + " on each rank, where they fit\n";
    return text;
}

// What takes turns; left out is what this call alone would keep from running.
std::string what_is_tried(const Shortlist& shortlist, const Adaptive& adaptive, const Features& call) {
    std::string text = "adaptive, the choice is made at run time\n  tries, " +
                       counted(static_cast<std::uint64_t>(adaptive.trials), "time") + " each and in turn: ";
    std::string left_out = adaptive.left_out;
    for (std::size_t i = 0; i < adaptive.count; ++i) {
        const Candidate& member = shortlist.candidates[adaptive.first + i];
        const PassedOver why = why_passed_over(member, call);
        if (why == PassedOver::no)
            text += (i == 0 ? "" : ", ") + describe(member.choice);
        else
            left_out +=
                (left_out.empty() ? "" : "; ") + describe(member.choice) + ": " + describe(member, why);
    }
    text += "\n  then keeps the fastest, for each power of two of the largest block by itself\n";
    return left_out.empty() ? text : text + "  left out here: " + left_out + '\n';
}

std::string what_is_taken(const Shortlist& shortlist, const Candidate& taken, const Features& call) {
    if (taken.adaptive) return what_is_tried(shortlist, shortlist.adaptives[*taken.adaptive], call);
    const std::string& reason = taken.choice.reason;
    const bool says_more = reason != "rule" && reason != "otherwise" && !taken.choice.rule.empty();
    return what_runs(taken.choice, call) + (says_more ? "  " + reason + '\n' : "");
}

std::string how_time_is_agreed(const Shortlist& shortlist, const Features& call) {
    if (shortlist.adaptives.empty()) return "";
    if (shortlist.looks_at_buffer || call.collective == Collective::alltoallv)
        return std::string("  the time of the call before travels in the agreement\n") +
               (can_rest(shortlist, 0)
                    ? "  once calls have long been alike, and if the choice does not need the "
                      "block, they rest: hardly any of them has an agreement\n"
                    : "");
    return "  times: one small allreduce for each call while candidates are tried, and one for 64 calls "
           "then\n";
}

std::string what_is_agreed(const Shortlist& shortlist, const Features& call) {
    if (shortlist.always_native)
        return "  agreement: none, on this communicator such calls are native whatever they send\n";
    if (shortlist.looks_at_overlap)
        return "  agreement: one small allreduce before each such call, as a rule here looks at calls in "
               "place, "
               "and buffers may overlap\n";
    if (shortlist.looks_at_buffer)
        return "  agreement: one small allreduce before each such call, as a rule here looks at where the "
               "buffers are\n";
    if (!shortlist.looks_at_block)
        return "  agreement: none, no rule that is left here looks at the largest block\n";
    if (call.collective != Collective::alltoallv)
        return "  agreement: none, every rank knows the block of this collective\n";
    return "  agreement: one small allreduce before each such call, as a rule here looks at the largest "
           "block\n";
}

std::string ending(const Policy& policy, const Shortlist& shortlist, const Match& match,
                   const Features& call) {
    const Candidate& taken = shortlist.candidates[match.candidate];
    const Choice& choice = taken.choice;
    if (choice.reason == "otherwise" || policy.otherwise.is_adaptive())
        return "otherwise: " + what_is_taken(shortlist, taken, call);
    std::string text;
    for (const Candidate& candidate : shortlist.candidates)
        if (candidate.choice.reason == "otherwise")
            text = "otherwise " + policy.otherwise.algorithm + ": " +
                   describe(candidate, why_passed_over(candidate, call)) + '\n';
    return text + "what is left: " + what_runs(choice, call);
}

} // namespace

std::string explain(const Policy& policy, const Features& call) {
    const Shortlist shortlist = all_candidates(policy, call);
    const Match match = choose(shortlist, call);
    const std::string& fires = shortlist.candidates[match.candidate].choice.rule;
    const Shortlist pruned = prune(policy, call);
    const std::string agreement = what_is_agreed(pruned, call) + how_time_is_agreed(pruned, call);
    std::string text = heading(call);
    for (std::size_t i = 0; i < policy.rules.size(); ++i) {
        const Rule& rule = policy.rules[i];
        if (rule.name != fires) {
            text += label_of(rule, i) + ": " + why_not(rule, shortlist, call) + '\n';
            continue;
        }
        const Candidate& taken = shortlist.candidates[match.candidate];
        text += label_of(rule, i) + " fires: " + what_is_taken(shortlist, taken, call);
        if (taken.stands_in)
            text += "  instead of " + rule.use.algorithm + ": " +
                    describe(shortlist.candidates[match.passed], match.why) + '\n';
        if (!rule.because.empty())
            text += "  because: " + printable(rule.because, rule.because.size()) + '\n';
        return text + agreement;
    }
    return text + ending(policy, shortlist, match, call) + agreement;
}

} // namespace switchyard::policy
