#include "commands.hpp"
#include "policy_file.hpp"

#include "policy/agreement_advice.hpp"
#include "policy/text/lists.hpp"
#include "policy/vocabulary.hpp"

#include <iostream>

namespace switchyard::shim::command {

namespace {

// A bound on sizes costs alltoallv an agreement before each call, and nothing else in a policy shows it.
void print_agreement(const policy::Policy& policy) {
    const auto bounded = policy::call_that_agrees_for_bound(policy);
    if (!bounded) return;
    const auto& [call, keys] = *bounded;
    std::cout << "  " << text::enumerated(keys) << (keys.size() == 1 ? " makes" : " make") << " the ranks of "
              << name_of(call.collective) << " agree on "
              << (keys == std::vector<std::string>{"max_block_bytes"} ? "the largest block"
                                                                      : "sizes of blocks")
              << " before each call, for example with " << call.ranks << " ranks on " << call.nodes
              << (call.nodes == 1 ? " node" : " nodes")
              << "\n  to avoid it: " << how_to_spare_agreement(policy, call) << '\n';
}

} // namespace

int check(const std::filesystem::path& file) {
    const auto policy = read_policy(file);
    if (!policy) return 1;
    const std::size_t rules = policy->rules.size();
    std::cout << file.string() << ": OK, " << rules << (rules == 1 ? " rule" : " rules") << ", otherwise "
              << policy->otherwise.algorithm << '\n';
    print_agreement(*policy);
    return 0;
}

} // namespace switchyard::shim::command
