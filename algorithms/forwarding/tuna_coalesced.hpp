// tuna_coalesced, for alltoallv and for alltoall.
#pragma once

#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms::forwarding {

std::unique_ptr<Schedule> tuna_coalesced_schedule(const Group& group, const Parameters& parameters);

// Blocks of any size: messages say the sizes.
Status tuna_coalesced(const Exchange& exchange, Context& context);
// Blocks of max_block bytes: messages have blocks alone.
Status tuna_coalesced_of_equal_blocks(const Exchange& exchange, Context& context);

} // namespace switchyard::algorithms::forwarding
