#include "cliff_rules.hpp"

#include "cliffs.hpp"
#include "group_sentences.hpp"

#include "policy/rule_name.hpp"
#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>

namespace switchyard::shim::report {

namespace {

// `rule 1 "small blocks" runs 20 calls with tuna radix=4`
std::string text_of_rule(const policy::Policy& policy, const PolicyGroup& group) {
    const std::string who =
        group.rule ? shown(policy::rule_numbered(*group.rule + 1, policy.rules[*group.rule].name))
                   : std::string("otherwise");
    return formatted("{} runs {} with {}", who, text::plural(group.calls, "call"),
                     shown(group.algorithm, 200));
}

std::string sentence_about(const policy::Policy& policy, const std::vector<PolicyGroup>& groups,
                           const Cliff& cliff) {
    std::vector<std::string> rules;
    std::uint64_t changing = 0;
    for (const PolicyGroup& group : groups) {
        if (group.kind != cliff.group->kind || !group.changes()) continue;
        rules.push_back(text_of_rule(policy, group));
        changing += group.calls;
    }
    const std::string calls = formatted("{}: {:.0f} times as long as {}", name_of(cliff.group->kind),
                                        cliff.times(), faster_text(cliff));
    if (rules.empty()) return formatted("{}; no rule changes these calls. {}", calls, how_to_avoid(cliff));
    std::string text = formatted("{}; {}", calls, joined(rules, "; "));
    if (changing < cliff.group->calls)
        text += formatted("; no rule changes {}. {}", text::plural(cliff.group->calls - changing, "call"),
                          how_to_avoid(cliff));
    return text;
}

} // namespace

std::vector<std::string> cliff_rules(const policy::Policy& policy, const std::vector<PolicyGroup>& groups,
                                     const Profile& profile) {
    return sentences_of(cliffs_of(profile),
                        [&](const Cliff& cliff) { return sentence_about(policy, groups, cliff); });
}

} // namespace switchyard::shim::report
