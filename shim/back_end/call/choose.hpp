// Which algorithm takes a call: the policy's first candidate that the call meets, and whose memory all ranks have.
#pragma once

#include "agree_on_call.hpp"
#include "call_context.hpp"

namespace switchyard::shim {

// The facts of the call for the policy. `in_place`: the call is in place, or some rank's buffers overlap.
policy::Features features_of(const CallContext& context, const Agreed& agreed, bool in_place,
                             const policy::Shortlist& shortlist);

// Whether the choice decides what has to be packed: some algorithm works in place.
bool packs_after_choice(const policy::Shortlist& shortlist);

// The same on all ranks. Native if some rank lacks the memory that the choice needs.
Decision choose(const CallContext& context, const Agreed& agreed, bool in_place, bool packs_later,
                Packing& packing);

// The last candidate, native, takes the call instead of the candidate that matched.
policy::Match native_instead(const Decision& decision, policy::PassedOver why);

} // namespace switchyard::shim
