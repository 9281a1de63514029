// Who decided what ran: the rules of a policy, or what forced something else.
#pragma once

#include "profile.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

struct ChosenBy {
    std::string rule, reason;
    std::uint64_t calls = 0;
    double rank_us = 0;
    std::vector<std::string> ran; // algorithms with parameters, each once
    // What was asked for could not run.
    bool fell_back() const;
    std::string
    text() const; // `rule "small"`, `otherwise`, `rule "large", since rule "small" passed over: ...`
};

// The most time first.
std::vector<ChosenBy> chosen_by(const Profile& profile);
// Place of a group's decider in that list.
std::size_t place_of(const CallKind& kind, const std::vector<ChosenBy>& deciders);

} // namespace switchyard::shim::report
