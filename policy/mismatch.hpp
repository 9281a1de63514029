// The first key of `when` that a call does not meet. Pruning and explanations share this comparison.
#pragma once

#include "table.hpp"

#include <cstddef>
#include <string>

namespace switchyard::policy {

// The first condition of a rule that a call does not meet, in the order in which a run looks at them: the
// facts of the communicator first, then those that may differ from call to call.
struct Mismatch {
    std::size_t met = 0; // conditions before it
    std::string why;     // as below; "": the call meets all conditions
};
Mismatch first_not_met(const Rule& rule, const Features& call);

// Only Mismatch::met, for many calls.
std::size_t conditions_met(const Rule& rule, const Features& call);

// Whether the call meets all conditions; whether some call of this kind on this communicator can.
bool is_met(const Rule& rule, const Features& call);
bool can_be_met(const Rule& rule, const FixedFeatures& fixed);

// "" if the call meets all keys, else a text for people: `max_block_bytes 64 is below its minimum 4096`. A
// rule that names no collective is for the collectives that have its algorithm.
std::string why_not_met(const Rule& rule, const Features& call);

} // namespace switchyard::policy
