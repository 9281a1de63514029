#include "explain.hpp"
#include "agreement_advice.hpp"
#include "mismatch.hpp"
#include "prune.hpp"
#include "reason.hpp"
#include "rule_name.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "vocabulary.hpp"

namespace switchyard::policy {

namespace {

std::string over_network(const Features& call) {
    return call.nodes < 2 ? ""
                          : " over " + std::string(network_names[static_cast<std::size_t>(call.network)]);
}

std::string heading(const Features& call) {
    return std::string(name_of(call.collective)) + " of " +
           text::plural(static_cast<std::uint64_t>(call.ranks), "rank") + " on " +
           text::plural(static_cast<std::uint64_t>(call.nodes), "node") + " (at most " +
           std::to_string(call.ranks_per_node) + " on one)" + over_network(call) + ", largest block " +
           text::plural(call.max_block_bytes, "byte") + ", " +
           std::string(buffer_names[static_cast<std::size_t>(call.buffer)]) + " buffers" +
           (call.overlapping ? ", overlapping"
            : call.in_place  ? ", in place"
                             : "") +
           '\n';
}

std::string label_of(const Rule& rule, std::size_t index) {
    return rule_numbered(index + 1, rule.name);
}

// Names are unique. A rule may have a candidate for each of several sizes of blocks.
const Candidate* candidate_of(const Shortlist& shortlist, const Rule& rule, const Features& call) {
    for (const Candidate& candidate : shortlist.candidates)
        if (candidate.choice.rule == rule.name && matches(candidate, call)) return &candidate;
    return nullptr;
}

std::string why_not(const Rule& rule, const Shortlist& shortlist, const Features& call) {
    if (std::string why = why_not_met(rule, call); !why.empty()) return why;
    const Candidate* candidate = candidate_of(shortlist, rule, call);
    return candidate == nullptr ? "an earlier rule takes every such call"
                                : describe(*candidate, why_passed_over(*candidate, call));
}

std::string why_that_transfer(const Choice& choice, const Features& call) {
    if (choice.transfer) return "the rule says so";
    if (!choice.algorithm->native) return "the rule gives no transfer";
    return call.gpu_aware ? "the MPI is GPU-aware" : "the MPI is not GPU-aware";
}

std::string how_device_buffers_travel(const Choice& choice, const Features& call) {
    if (call.buffer == Buffer::host) return "";
    const auto transfer = transfer_of(choice, call.gpu_aware);
    const bool is_staged = transfer == Transfer::staged;
    std::string text =
        is_staged ? "  transfer: staged, each rank copies its device buffers through host memory"
        : transfer == Transfer::direct ? "  transfer: direct, the MPI gets the device pointers"
                                       : "  transfer: ipc, the ranks copy between the memory of their GPUs";
    text += " (" + why_that_transfer(choice, call) + ")\n";
    if (is_staged && choice.algorithm->has(algorithms::moves_by_mpi_alone) && !choice.algorithm->native)
        text += "  copied back: " + text::plural(choice.chunk_bytes, "byte") +
                " at a time, while other blocks are under way\n";
    return text;
}

std::string what_the_limit_costs(const Choice& choice, const Features& call) {
    const auto limit = choice.in_flight_limit;
    std::string text = "  in flight: at most " + text::plural(limit, "send") + " and " +
                       text::plural(limit, "receive") + " at once on a rank";
    if (choice.algorithm->has(algorithms::moves_by_mpi_alone)) { // a message for each partner
        const auto partners = static_cast<std::uint64_t>(std::max(1, call.ranks - 1));
        text += ", so at least " + text::plural((partners + limit - 1) / limit, "wait");
    }
    return text + '\n';
}

std::string what_runs(const Choice& choice, const Features& call) {
    std::string text = describe(choice);
    if (choice.transfer)
        text += " transfer=" + std::string(transfer_names[static_cast<std::size_t>(*choice.transfer)]);
    text += '\n' + how_device_buffers_travel(choice, call);
    if (choice.barrier_before) text += "  barrier: each such call waits until all its ranks are there\n";
    if (choice.in_flight_limit > 0) text += what_the_limit_costs(choice, call);
    if (const std::size_t bytes = scratch_bytes(choice, call); bytes > 0)
        text += "  workspace: " + text::plural(bytes, "byte") + " on each rank\n";
    return text;
}

// As algorithms/transport/agree_on_largest.hpp does it.
std::string way_of_agreement(const Features& call) {
    if (!call.shared_memory || call.ranks_per_node == 1) return "one small allreduce";
    return call.nodes == 1 ? "through the node's memory"
                           : "through each node's memory, and in small messages between nodes";
}

std::string how_to_spare_it(const Policy& policy, const Features& call) {
    const std::string changes = how_to_spare_agreement(policy, call);
    return changes.empty() ? "" : "  to avoid it: " + changes + '\n';
}

std::string what_is_agreed(const Shortlist& shortlist, const Features& call) {
    const std::string costs = "  agreement: before each such call, " + way_of_agreement(call) + ", on ";
    if (shortlist.always_native)
        return "  agreement: none; on this communicator such calls are always native\n";
    if (shortlist.looks_at_overlap)
        return costs + "whether buffers overlap, since some rule here treats such calls as calls in place\n";
    if (shortlist.looks_at_buffer) return costs + "where the buffers are\n";
    if (agrees_on_block(shortlist, call))
        return costs + (shortlist.looks_at_totals ? "the largest block, total_bytes and skew\n"
                                                  : "the largest block\n");
    return shortlist.looks_at_block
               ? "  agreement: none; every rank knows the largest block of this collective\n"
               : "  agreement: none; no rule here looks at the largest block, and no algorithm needs it\n";
}

std::string how_it_fires(const Rule& rule, const Shortlist& shortlist, const Match& match,
                         const Features& call) {
    const Candidate& taken = shortlist.candidates[match.candidate];
    std::string text = what_runs(taken.choice, call);
    if (taken.stands_in)
        text += "  instead of " + rule.use.algorithm + ": " +
                describe(shortlist.candidates[match.passed], match.why) + '\n';
    if (!rule.because.empty())
        text += "  because: " + text::printable(rule.because, rule.because.size()) + '\n';
    return text;
}

std::string ending(const Policy& policy, const Shortlist& shortlist, const Match& match,
                   const Features& call) {
    const Choice& choice = shortlist.candidates[match.candidate].choice;
    if (choice.reason == "otherwise") return "otherwise: " + what_runs(choice, call);
    std::string text;
    for (const Candidate& candidate : shortlist.candidates)
        if (candidate.choice.reason == "otherwise" && matches(candidate, call))
            text = "otherwise " + policy.otherwise.algorithm + ": " +
                   describe(candidate, why_passed_over(candidate, call)) + '\n';
    return text + "therefore: " + what_runs(choice, call);
}

} // namespace

std::string explain(const Policy& policy, const Features& call) {
    const Shortlist shortlist = all_candidates(policy, call);
    const Match match = choose(shortlist, call);
    const std::string& fires = shortlist.candidates[match.candidate].choice.rule;
    const Shortlist pruned = prune(policy, call);
    const std::string agreement = what_is_agreed(pruned, call) + how_to_spare_it(policy, call);
    std::string text = heading(call);
    for (std::size_t i = 0; i < policy.rules.size(); ++i) {
        const Rule& rule = policy.rules[i];
        if (rule.name == fires)
            return text + label_of(rule, i) + " fires: " + how_it_fires(rule, shortlist, match, call) +
                   agreement;
        text += label_of(rule, i) + ": " + why_not(rule, shortlist, call) + '\n';
    }
    return text + ending(policy, shortlist, match, call) + agreement;
}

} // namespace switchyard::policy
