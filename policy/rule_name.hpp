// The names of rules in texts for people. Rules are counted from 1 everywhere; only
// JSON pointers count from 0.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace switchyard::policy {

// `rule 2`: the name of a rule that has none in the policy.
std::string name_by_number(std::size_t number);

// A rule of which only the name is known, as in a log: `rule "small blocks"`, `rule 2`.
std::string rule_called(std::string_view name);

// A rule with its number: `rule 1 "small blocks"`, `rule 2`.
std::string rule_numbered(std::size_t number, std::string_view name);

} // namespace switchyard::policy
