// A report as text, at most 110 columns wide.
#pragma once

#include "profile.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace switchyard::shim::report {

void print_text(const Profile& profile, std::ostream& out);

// `4 ranks on 2 nodes`
std::string shape_text(int ranks, int nodes);

// `3.1 s in collectives, 41.0% of the wall time; a policy can change 0.9 s of it (alltoallv, alltoall)`
std::string share_of_policies_text(const Profile& profile);
// What the times of nonblocking collectives hold; "" where the program made none.
std::string waiting_text(const Profile& profile);

// Sentences about what the log does not hold.
std::vector<std::string> damage_of(const Profile& profile);
// The same, with an empty line before each.
void print_damage(const Profile& profile, std::ostream& out);
// `3 calls of the run are missing: the file is truncated`
std::string missing_calls_text(const Profile& profile);

// What a log says of its run: `command`, `./app`. Those that it does not know have no text.
struct Fact {
    const char* name;
    std::string text;
};
std::vector<Fact> facts_of(const Profile& profile);

// `app, 4 ranks on 1 node, wall time 2.10 s, complete`
std::string title_of(const Profile& profile);
// Sentences on a log that is not that of a whole run, call by call.
std::vector<std::string> state_of(const Profile& profile);

// `  command   ./app`, broken where it is too long; nothing where there is no text.
void print_fact(std::ostream& out, const Fact& fact);

// The first lines of a report: program, place, time, and whether the log is complete.
void print_head(const Profile& profile, std::ostream& out);

} // namespace switchyard::shim::report
