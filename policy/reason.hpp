// Choices and matches in words, for the log and for people.
#pragma once

#include "match.hpp"

#include <string>

namespace switchyard::policy {

// `tuna radix=4 metadata=fused`
std::string describe(const Choice& choice);

// `rule "small"`, `rule 2`, `otherwise`, `forced`
std::string label_of(const Choice& choice);

// Why the candidate did not run: `radix 64 is more than 16 ranks`.
std::string describe(const Candidate& candidate, PassedOver why);

// The log's `reason`: the choice's own, or `rule "small" passed over: radix 64 is more than 16 ranks`. There
// are few different texts, since the log names every outcome once.
std::string reason_of(const Shortlist& shortlist, const Match& match);

} // namespace switchyard::policy
