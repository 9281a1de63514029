// Whether a call's numbers come near 2^31, where an int turns negative: programs that keep counts,
// displacements or bytes in an int then crash, most often far from the cause.
#pragma once

#include "call.hpp"
#include "peers.hpp"
#include "type_array.hpp"

#include <cstdint>

namespace switchyard::shim {

// From here on a number is near: a factor of two below 2^31.
inline constexpr std::uint64_t near_int_limit = std::uint64_t{1} << 30;

// What an overflow leaves lies anywhere between -2^31 and 0. A count nearer to 0 is another mistake, such as -1, and
// MPI's to report.
inline constexpr std::int64_t overflowed_count = -(std::int64_t{1} << 16);

// What comes near in a call, or has passed 2^31: a count or displacement in the arguments, else the bytes of
// a block, else the bytes of all blocks of a side. A displacement may be negative by right, so only one that
// is as far from 0 counts: no sum of smaller numbers turns negative.
struct IntLimit {
    enum class What : std::uint8_t { nothing, negative_count, count, displacement, block_bytes, all_bytes };
    What what = What::nothing;
    bool is_sent = false; // else on the receive side
    int block = 0;        // its number; of all_bytes: no block's
    std::int64_t value = 0;

    explicit operator bool() const { return what != What::nothing; }
};

// Looks at every number of a call whose counts are ints. `types`: after measure(), where it has found the
// arguments valid; null: only counts and displacements are looked at.
IntLimit int_limit_of(const CallArgs& call, const Peers& peers, const CallTypes* types);

} // namespace switchyard::shim
