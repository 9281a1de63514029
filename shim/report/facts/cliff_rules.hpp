// Which rules of a policy take the calls of a log's cliffs.
#pragma once

#include "policy_on_log.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

// A sentence for each cliff: the rule that takes its calls, and what they would run instead; or that no rule
// changes them, and how to look for one. `profile` and `groups` are of the same log.
std::vector<std::string> cliff_rules(const policy::Policy& policy, const std::vector<PolicyGroup>& groups,
                                     const Profile& profile);

} // namespace switchyard::shim::report
