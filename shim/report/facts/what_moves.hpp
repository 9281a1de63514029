// What moves in calls: how much of it goes to a rank itself, to how many others, how unequal the blocks are;
// and what to do about it.
#pragma once

#include "shim/report/read/profile.hpp"

#include <optional>
#include <string>
#include <vector>

namespace switchyard::shim::report {

// Of the calls of a group. What a log does not say has no value.
struct WhatMoves {
    std::optional<double> own_share;   // of the bytes of a rank: those to itself
    std::optional<double> empty_share; // of the blocks for other ranks: those without bytes
    std::optional<double> partners;    // other ranks that get bytes: mean over ranks and calls
    std::optional<double> most_partners;
    std::optional<double> skew;      // skew_of() a call, mean over the calls
    std::optional<double> in_flight; // messages of an algorithm for each time that it waits
};
WhatMoves what_moves_in(const CallGroup& group);

inline constexpr const char* what_moves_title = "What moves";
inline constexpr const char* what_moves_note =
    "of a rank; to itself, empty, partners: in the calls that were looked at; skew: largest block over mean; "
    "in flight: messages for each time that the algorithm waits";

// A row for each of the most expensive groups in which some figure is known.
struct WhatMovesRow {
    const CallGroup* group;
    WhatMoves moves;
};
std::vector<WhatMovesRow> what_moves_rows(const Profile& profile);
// `54.0%`, `6.2`; `-` where it is not known.
std::string known_share(const std::optional<double>& share);
std::string known_number(const std::optional<double>& number);

// What follows, for groups that take a hundredth of the time in collectives or more.
inline constexpr const char* moves_advice_title = "What the blocks suggest";
inline constexpr const char* moves_advice_note = "for groups that take 1% of the time in collectives or more";
std::vector<std::string> moves_advice(const Profile& profile);

} // namespace switchyard::shim::report
