// What a report says about a run as a whole. Text, page and comparison only render these sentences.
#pragma once

#include "shim/report/read/profile.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

// `4 ranks on 2 nodes`
std::string shape_text(int ranks, int nodes);

// `3.1 s in collectives, 41.0% of the wall time; a policy can change 0.9 s of it (alltoallv, alltoall)`
std::string share_of_policies_text(const Profile& profile);
// What the times of nonblocking collectives include; "" if the program called none.
std::string waiting_text(const Profile& profile);

// Sentences about what the log does not hold.
std::vector<std::string> damage_of(const Profile& profile);
// `3 calls of the run are missing: the file is truncated`
std::string missing_calls_text(const Profile& profile);

// What a log says of its run: `command`, `./app`. Facts that it does not know have no text.
struct Fact {
    const char* name;
    std::string text;
};
std::vector<Fact> facts_of(const Profile& profile);

// `app, 4 ranks on 1 node, wall time 2.10 s, complete`
std::string title_of(const Profile& profile);
// Sentences on a log that does not hold a whole run, call by call.
std::vector<std::string> state_of(const Profile& profile);

} // namespace switchyard::shim::report
