// The agreement on the largest block before each call, and how a policy can avoid it.
#pragma once

#include "shortlist.hpp"

#include <optional>
#include <string>
#include <vector>

namespace switchyard::policy {

// Whether the ranks agree on the largest block before each such call. `pruned`: the shortlist for it.
bool agrees_on_block(const Shortlist& pruned, const FixedFeatures& call);

// The rules that cause the agreement, each with the smallest change that avoids it: `drop
// max_block_bytes of rule "small"`. Only as many rules as have to change, and at most three. "" if the
// ranks do not agree on the largest block.
std::string how_to_spare_agreement(const Policy& policy, const FixedFeatures& call);

// A kind of calls at which some rule's bounds on sizes make the ranks agree, and the keys of these bounds.
struct BoundedCall {
    FixedFeatures call;
    std::vector<std::string> keys;
};

// Nothing: there is no such kind among usual shapes of communicators.
std::optional<BoundedCall> call_that_agrees_for_bound(const Policy& policy);

} // namespace switchyard::policy
