// TuNA, for alltoallv, for alltoall and inside nodes.
#pragma once

#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms::forwarding {

std::unique_ptr<Schedule> tuna_schedule(const Group& group, const Parameters& parameters);

// Blocks of any size: messages say the sizes.
Status tuna(const Exchange& exchange, Context& context);
// Blocks of max_block bytes: messages have blocks alone.
Status tuna_of_equal_blocks(const Exchange& exchange, Context& context);

} // namespace switchyard::algorithms::forwarding
