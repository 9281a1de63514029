// Bytes that a rank sends in a call that is only counted, calculated from its arguments.
#pragma once

#include "shim/entry/abi.hpp"
#include "shim/entry/counted.hpp"

#include <cstdint>

namespace switchyard::shim {

// What a rank hands over, including the block for itself. `words`: the arguments of a call that MPI has taken
// without an error; before that nobody may ask MPI about the handles among them. Reads only what is
// significant on this rank.
std::uint64_t bytes_sent(const CountedTraits& traits, const Word* words, bool large_count);

} // namespace switchyard::shim
