// Why the calls of a group take their time, as far as a log says it.
#pragma once

#include "chosen_by.hpp"
#include "shim/report/read/profile.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

// A group among those with the most time.
struct Dearest {
    std::string share; // `62.3%` of the time that a policy can change
    std::string name;  // `alltoallv, 4 ranks, up to 64 KiB, tuna radix=2`
    std::string usual; // `1,000 calls, usually 42 us each`
    std::vector<std::string>
        causes; // `71.0% waiting for late ranks`; the exchange itself if nothing else shows
};

// At most three, the most time first.
std::vector<Dearest> dearest_groups(const Profile& profile);

// `71.0% waiting for late ranks`, the largest part of the times first. Waiting may be inside the agreement.
std::vector<std::string> parts_of_time(const RankTimes& times);

// Half of the time that a policy can change, or more.
bool is_mostly_waiting(const Profile& profile);

// What the policy did: how many calls it routed, what fell back, what the agreement took.
std::vector<std::string> policy_sentences(const Profile& profile, const std::vector<ChosenBy>& deciders);

} // namespace switchyard::shim::report
