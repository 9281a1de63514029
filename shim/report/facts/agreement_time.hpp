// The agreement before calls: what it cost the calls of a log, and what a policy would have them agree on.
#pragma once

#include "policy/table.hpp"
#include "shim/report/read/profile.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

// `28 of 500 calls routed, 35.2% of the time in collectives spent agreeing: drop max_block_bytes of rule
// "small blocks"`; "" if the agreement is not worth a sentence. `wall_us`: wall time of all runs that the
// profile stands for; 0: not known.
std::string agreement_sentence(const Profile& profile, double wall_us);

// Two sentences: how many calls of the log would begin with an agreement on the largest block, and how to
// avoid it. None if no call would.
std::vector<std::string> agreement_on_log(const policy::Policy& policy, const Profile& profile);

} // namespace switchyard::shim::report
