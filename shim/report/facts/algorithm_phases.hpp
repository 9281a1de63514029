// Where the time inside the algorithms went, in a log that says it (SWITCHYARD_DETAIL=phases).
#pragma once

#include "algorithms/phases.hpp"
#include "shim/report/read/profile.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

inline constexpr const char* algorithm_phases_title = "What the algorithms spent their time on";

// The phases in which some group spent time, in the order of Phase.
std::vector<algorithms::Phase> phases_in(const Profile& profile);
// What these phases are: `data: messages with blocks; ...`.
std::string algorithm_phases_note(const std::vector<algorithms::Phase>& phases);

// The groups whose phases the log says, the most expensive ones first.
std::vector<const CallGroup*> groups_with_phases(const Profile& profile);
// Of all phases, for the average rank of the group, in a call; microseconds.
double phases_us_of_call(const CallGroup& group);
// The phase's part of them; `-` where the algorithm has no such phase.
std::string share_of_phase(const CallGroup& group, algorithms::Phase phase);

} // namespace switchyard::shim::report
