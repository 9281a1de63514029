// Who chose the algorithms of a run: rules of the policy, or the reason for a fallback.
#pragma once

#include "shim/report/read/places.hpp"
#include "shim/report/read/profile.hpp"

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

// Column `by`: a, b, ..., z, aa, ab. Letters, since rules have numbers.
std::string mark_of(std::size_t place);

// Finds the entry that chose for a kind of calls.
class DeciderPlaces {
  public:
    explicit DeciderPlaces(const std::vector<ChosenBy>& deciders); // of the profile that the kind is from
    std::size_t of(const CallKind& kind) const { return places_.of({kind.rule, kind.reason}); }

  private:
    Places<std::pair<std::string, std::string>> places_;
};

} // namespace switchyard::shim::report
