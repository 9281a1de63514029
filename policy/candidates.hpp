// A use of the policy as candidates of a shortlist: what it means on one communicator, and
// whether it can run there.
#pragma once

#include "shortlist.hpp"

namespace switchyard::policy {

// Where a use stands in the policy. Without a rule it is `otherwise`, or forced.
struct Origin {
    std::string reason;
    const Rule* rule = nullptr;
};

Choice native_choice(const FixedFeatures& fixed, std::string reason);

// Whether the use limits the memory of an algorithm that has a workspace.
bool limits_workspace(const algorithms::Traits& traits, const Use& use);

// One candidate for most uses, two where another algorithm stands in for the first.
void append(Shortlist& shortlist, const Use& use, const Origin& origin, const FixedFeatures& fixed);

} // namespace switchyard::policy
