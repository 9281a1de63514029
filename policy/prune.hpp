// The policy for one communicator: made once for each collective and each way in which buffers can lie, so a
// call walks only the few rules that are left.
#pragma once

#include "shortlist.hpp"

namespace switchyard::policy {

Shortlist prune(const Policy& policy, const FixedFeatures& fixed);
// If SWITCHYARD_FORCE names an algorithm for the collective: `forced` if it is admissible, else native.
Shortlist prune(const Use& forced, const FixedFeatures& fixed);

// For explanations: the shortlist with every rule that can apply. If all of them are native, prune() leaves
// one candidate and no names.
Shortlist all_candidates(const Policy& policy, const FixedFeatures& fixed);

} // namespace switchyard::policy
