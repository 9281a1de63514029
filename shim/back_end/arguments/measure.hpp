// What this rank's arguments say about a call's size.
#pragma once

#include "call.hpp"
#include "peers.hpp"
#include "type_array.hpp"

#include <cstddef>

namespace switchyard::shim {

struct Measure {
    bool valid = false;        // false: MPI will refuse these arguments, and should be the one to say so
    std::size_t max_block = 0; // largest block for another rank, in bytes
    std::size_t sent = 0;      // to all other ranks, in bytes
    // All counts, of both sides the last displacements, and the bytes, one over the other: no number has a
    // higher bit. A negative number sets the highest.
    std::uint64_t bits = 0;
    // Where a rank sends one block to all ranks: the mean of the blocks of all ranks, rounded up, in bytes.
    // Every rank knows all blocks, so the mean is the same on all ranks, like the largest block.
    std::size_t mean_block = 0;
};

// Looks at significant arguments only. If the call has a type for each block, `types` knows the types from
// here on.
Measure measure(const CallArgs& call, const Peers& peers, CallTypes& types);

// The same for a call whose arguments are known to be valid and whose two sides have
// one type, of `item` bytes.
Measure measure_plain(const CallArgs& call, int blocks, int own, std::size_t item);

} // namespace switchyard::shim
