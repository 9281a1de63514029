// What to type after a report was read.
#pragma once

#include "shim/report/read/profile.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace switchyard::shim::report {

struct NextStep {
    std::string why;     // a sentence
    std::string command; // for a shell; "": there is nothing to type
};

// The most useful first, at most three.
std::vector<NextStep> next_steps(const Profile& profile);

// How to repeat a comparison of A and B, of which so many pairs were not enough; nothing where both ran under
// one policy.
std::optional<NextStep> more_pairs(const Profile& a, const Profile& b, std::size_t pairs);

// A word of a command, in quotes where a shell would take it for something else.
std::string shell_word(const std::string& word);

} // namespace switchyard::shim::report
