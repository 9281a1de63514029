// Idea: zero_rotation_bruck in any base. A block that has to go down i ranks makes one hop for each non-zero
//   digit of i in base `radix`. R holds the blocks on their way.
// Cost: K rounds of D blocks in all (K <= w(r-1), D <= w(r-1)r^(w-1), w = ceil(log_r P)): K * alpha + beta *
//   D blocks. Radix 2 is zero_rotation_bruck. Radix P sends every block directly home.
// Needs: blocks of one size, and memory that the processor can copy; any number of ranks.
// Departs: as zero_rotation_bruck does: no rotation, and no rotation index in memory. A block that travels
//   alone goes from S to R without a copy. Each digit may have a base of its own.
// Source: TuNA paper, section II(c), parameterized uniform Bruck, with the rounds of section III-A.
#include "zero_rotation_bruck.hpp"

namespace switchyard::algorithms::alltoall {

Status parameterized_bruck(const Exchange& exchange, Context& context) {
    return zero_rotation_bruck_in_base(context.parameters[Parameter::radix], exchange, context);
}

} // namespace switchyard::algorithms::alltoall
