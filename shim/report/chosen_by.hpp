// Who chose the algorithms of a run: rules of the policy, or the reason for a fallback.
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
    // True: a rule could not run, and another algorithm ran instead.
    bool fell_back() const;
    std::string ran_text() const; // `tuna radix=4, native`
    std::string
    text() const; // `rule "small"`, `otherwise`, `rule "large", since rule "small" passed over: ...`
};

// The most time first.
std::vector<ChosenBy> chosen_by(const Profile& profile);
// The place in `deciders` of the entry that chose for `kind`; deciders.size() where there is none.
std::size_t place_of(const CallKind& kind, const std::vector<ChosenBy>& deciders);

} // namespace switchyard::shim::report
