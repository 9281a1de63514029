// One sentence: is B faster than A, by how much, how sure.
#pragma once

#include "pairs.hpp"

#include <string>
#include <string_view>

namespace switchyard::shim::report {

// What the sentence calls the sides. It begins with `b`.
struct Sides {
    std::string_view b = "B", a_possessive = "A's";
};

// `wall` and `collectives`: of the same pools.
std::string verdict(const Paired& wall, const Paired& collectives, const Sides& sides = {});

// `faster in 4 of 5 pairs`, `slower in 1 of 1 pair`: whichever B is in more pairs. `equal in 5 of 5 pairs`
std::string won_text(const Paired& paired);

} // namespace switchyard::shim::report
