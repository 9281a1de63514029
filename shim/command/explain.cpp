#include "policy/explain.hpp"
#include "commands.hpp"
#include "policy_file.hpp"

#include "shim/common/whole_file.hpp"
#include "shim/report/coverage_plot.hpp"
#include "shim/report/policy_text.hpp"

#include <algorithm>
#include <iostream>

namespace switchyard::shim::command {

namespace {

// Reads the log once, for its sums and for the policy.
report::Profile ask(report::PolicyOnLog& policy, const log::LoggedRun& run) {
    auto facts = report::facts_of(run);
    report::ProfileBuilder builder;
    report::Call call;
    log::for_each_line(run, [&](const std::string& line) {
        if (!report::parse_call(line, call)) return builder.add_unreadable();
        builder.add(call);
        policy.add(call);
    });
    return builder.take(std::move(facts));
}

int most_ranks_per_node(const report::Profile& profile) {
    int most = 1;
    for (const auto& group : profile.groups) most = std::max(most, group.kind.ranks_per_node);
    return most;
}

} // namespace

int explain(const std::filesystem::path& file, const policy::Features& call) {
    const auto policy = read_policy(file);
    if (!policy) return 1;
    std::cout << policy::explain(*policy, call);
    return 0;
}

int explain_many(const ExplainOptions& options) {
    const auto policy = read_policy(options.policy);
    if (!policy) return 1;
    int ranks_per_node = std::max(1, options.ranks_per_node);
    if (!options.log.empty()) {
        report::PolicyOnLog asked(*policy);
        const auto profile = ask(asked, report::find_run_saying(options.log, std::cerr));
        report::print_policy_on_log(*policy, asked, profile, std::cout);
        if (options.ranks_per_node == 0) ranks_per_node = most_ranks_per_node(profile);
        if (options.coverage) std::cout << '\n';
    }
    if (!options.coverage && options.plot.empty()) return 0;
    const auto coverage =
        report::coverage_of(*policy, ranks_per_node, report::usual_ranks(), report::usual_block_bits());
    if (options.coverage) report::print_coverage(*policy, coverage, std::cout);
    if (!options.plot.empty()) {
        WholeFile file(options.plot.string());
        file.stream() << report::coverage_plot(*policy, coverage);
        file.keep();
    }
    return 0;
}

} // namespace switchyard::shim::command
