// Cliffs: calls that take many times as long as calls of the same collective that move at least as much
// between at least as many ranks. An MPI has them where it changes its algorithm (MPICH #2530: 2 bytes of
// each of 360 ranks took 17.6 ms, of 320 ranks 0.09 ms). A policy avoids them.
#pragma once

#include "shim/report/read/profile.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

// A group of calls, and another group that shows how fast they could be. Times are medians of the fastest
// rank of each call, so waiting for late ranks hardly counts.
struct Cliff {
    const CallGroup *group, *faster;
    double group_us, faster_us; // of a call
    double cost_us;             // beyond the faster calls, for the average rank of the run
    double times() const { return group_us / faster_us; }
};

// The highest cost first. What calls move is the mean of the bytes that a rank sends. Only where both groups
// have some calls, on as many nodes, with the same kind of buffers, and the cost is worth a sentence. A run
// of one communicator and one size has none.
std::vector<Cliff> cliffs_of(const Profile& profile);

// `calls of up to 64 B on 8 ranks with shared`: the calls that are faster.
std::string faster_text(const Cliff& cliff);
// `switchyard tune ...`, which looks for a rule.
std::string command_against(const Cliff& cliff);
// `To find a rule: switchyard tune ...`
std::string how_to_avoid(const Cliff& cliff);

// A sentence for each, and how to look for a rule that avoids it.
std::vector<std::string> cliff_sentences(const Profile& profile);

// What the sentences are about.
inline constexpr const char* cliff_title = "Cliffs: calls that larger calls outrun";
inline constexpr const char* cliff_note =
    "times: the fastest rank of each call, so without most waiting for late ranks";

} // namespace switchyard::shim::report
