#include "policy/explain.hpp"
#include "assumed.hpp"
#include "commands.hpp"
#include "policy_file.hpp"

#include "policy/match.hpp"
#include "policy/prune.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/whole_file.hpp"
#include "shim/predict/crossover.hpp"
#include "shim/report/page/coverage_plot.hpp"
#include "shim/report/text/policy_text.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace switchyard::shim::command {

namespace {

int most_ranks_per_node(const report::Profile& profile) {
    int most = 1;
    for (const auto& group : profile.groups) most = std::max(most, group.kind.ranks_per_node);
    return most;
}

// Ranks per node of a coverage; 0: not known yet. `source` is for people.
struct PerNode {
    int ranks;
    std::string_view source;
};

std::string crossover_on(const predict::Machine& machine, const std::string& name,
                         const policy::Features& call) {
    const predict::Call asked{call.collective, {call.ranks, call.nodes, call.ranks_per_node}, {}, 0};
    const auto [by_formula, by_model] = predict::crossover_of(machine, asked);
    return formatted("on {} from blocks of {:.0f} bytes on; {} by the model", name,
                     std::floor(by_formula) + 1, by_model ? formatted("{} bytes", *by_model) : "never");
}

// Where one of the two runs: from which block on the other one is the better choice.
std::string padded_or_two_phase(const policy::Policy& policy, const ExplainedCall& asked) {
    const policy::Features& call = asked.call;
    const auto shortlist = policy::all_candidates(policy, call);
    const auto& choice = shortlist.candidates[policy::choose(shortlist, call).candidate].choice;
    if (choice.algorithm->name != "padded_bruck" && choice.algorithm->name != "two_phase_bruck") return "";
    std::string text =
        formatted("  padded or two-phase: by the two-phase Bruck paper, section 3.3, two_phase_bruck is "
                  "faster than padded_bruck if "
                  "(largest block - 8) * {} > 4 * latency * bandwidth, where blocks are uniform",
                  call.ranks + 1);
    if (asked.machine.empty()) return text + " (--machine says from which block on)\n";
    const auto machine = predict::find_machine(asked.machine);
    return text + ": " + crossover_on(machine, machine.name.empty() ? asked.machine : machine.name, call) +
           '\n';
}

void explain_log(const policy::Policy& policy, const ExplainOptions& options, PerNode& per_node) {
    const auto run = report::find_run_saying(options.log, std::cerr);
    auto facts = report::facts_of(run);
    report::PolicyOnLog asked(policy, report::network_of(facts));
    const auto profile = report::read_profile(run, std::move(facts), asked);
    report::print_policy_on_log(policy, asked, profile, std::cout);
    if (per_node.ranks == 0) per_node = {most_ranks_per_node(profile), ", as in the log"};
    if (options.coverage) std::cout << '\n';
}

void explain_coverage(const policy::Policy& policy, const ExplainOptions& options, PerNode per_node) {
    if (per_node.ranks == 0) per_node = {ranks_per_node_here(), ", one for each processor of this machine"};
    const auto ranks = options.ranks ? std::vector{*options.ranks} : report::usual_ranks();
    const auto coverage = report::coverage_of(policy, per_node.ranks, ranks, report::usual_block_bits(),
                                              options.collective, options.network.value_or(network_here()));
    if (options.coverage) report::print_coverage(policy, coverage, std::cout, per_node.source);
    if (options.plot.empty()) return;
    WholeFile file(options.plot.string());
    file.stream() << report::coverage_plot(policy, coverage);
    file.keep();
}

} // namespace

int explain(const std::filesystem::path& file, const ExplainedCall& asked) {
    const auto policy = read_policy(file);
    if (!policy) return 1;
    std::cout << policy::explain(*policy, asked.call) << padded_or_two_phase(*policy, asked)
              << assumptions(*policy, asked);
    return 0;
}

int explain_many(const ExplainOptions& options) {
    const auto policy = read_policy(options.policy);
    if (!policy) return 1;
    PerNode per_node{options.ranks_per_node, ""};
    if (!options.log.empty()) explain_log(*policy, options, per_node);
    if (options.coverage || !options.plot.empty()) explain_coverage(*policy, options, per_node);
    return 0;
}

} // namespace switchyard::shim::command
