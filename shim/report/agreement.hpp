// The agreement before calls: what it cost the calls of a log, and what a policy would have them agree on.
#pragma once

#include "profile.hpp"

#include "policy/table.hpp"

#include <ostream>
#include <string>

namespace switchyard::shim::report {

// `28 of 500 calls routed, 35.2% of the time in collectives spent agreeing: drop max_block_bytes of rule "small blocks"`; ""
// where the agreement is not worth a sentence. `wall_us`: of all runs that the profile stands for; 0: not known.
std::string agreement_sentence(const Profile& profile, double wall_us);

// How many calls of the log would begin with an agreement on the largest block, and how to spare it. Nothing where none would.
void print_agreement_on_log(const policy::Policy& policy, const Profile& profile, std::ostream& out);

} // namespace switchyard::shim::report
