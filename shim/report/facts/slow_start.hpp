// Call groups whose first calls took far longer than the others: what programs with few calls pay.
#pragma once

#include "shim/report/read/profile.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

// Usual is the group's median. There are no slow calls (`calls` is 0) if half of the group or more would be
// slow: then nobody knows what is usual. A summary has none either, since it has no single calls. Costs are
// those of the average rank of the run.
SlowStart slow_start_of(const Profile& profile, const CallGroup& group);

// One sentence for each group in which the cost is worth it, the highest cost first. If there are many
// groups, the last sentence says how many are left out. `alltoall, 4 ranks, up to 16 KiB, shared: the first 6
// of 400 calls took 20 ms to 46 ms each, ...`
std::vector<std::string> slow_start_sentences(const Profile& profile);

// What the sentences are about.
inline constexpr const char* slow_start_title =
    "First calls that took more than three times as long as usual";
inline constexpr const char* slow_start_note =
    "costs: beyond usual calls, for the average rank of the run, waiting for late ranks included";

} // namespace switchyard::shim::report
