// The first key of `when` that a call does not meet: the one comparison that pruning and explanations share.
#pragma once

#include "table.hpp"

#include <string>

namespace switchyard::policy {

// "" where all is met, or for people: `max_block_bytes 64 is below its minimum 4096`. A rule that leaves out the
// collective is for those that have its algorithm.
std::string why_not_met(const Rule& rule, const Features& call);

// The same of the keys that are fixed: "" where some call here may meet the rule.
std::string why_never_met(const Rule& rule, const FixedFeatures& fixed);

} // namespace switchyard::policy
