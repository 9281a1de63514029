// The first key of `when` that a call does not meet. Pruning and explanations share this comparison.
#pragma once

#include "table.hpp"

#include <string>

namespace switchyard::policy {

// "" where the call meets all keys, or a text for people: `max_block_bytes 64 is below its minimum 4096`. A rule that
// names no collective is for the collectives that have its algorithm.
std::string why_not_met(const Rule& rule, const Features& call);

// "", or why no call of this kind on this communicator meets the rule.
std::string why_never_met(const Rule& rule, const FixedFeatures& fixed);

} // namespace switchyard::policy
