// Where a rank's bytes go: to itself, to how many others. Reads the counts of a call once more.
#pragma once

#include "call.hpp"
#include "peers.hpp"
#include "type_array.hpp"

#include <cstdint>

namespace switchyard::shim {

struct Moves {
    std::uint64_t own_bytes = 0;    // to the rank itself
    std::uint64_t partners = 0;     // other ranks that get bytes
    std::uint64_t empty_blocks = 0; // other ranks that get none
};

// For a call that measure() has found valid.
Moves moves_of(const CallArgs& call, const Peers& peers, const CallTypes& types);

} // namespace switchyard::shim
