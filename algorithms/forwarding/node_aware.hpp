// node_aware, for alltoallv and for alltoall.
#pragma once

#include "algorithms/algorithm.hpp"

namespace switchyard::algorithms::forwarding {

std::unique_ptr<Schedule> node_aware_schedule(const Group& group, const Parameters& parameters);

// Blocks of any size: messages say the sizes.
Status node_aware(const Exchange& exchange, Context& context);
// Blocks of max_block bytes: messages have blocks alone.
Status node_aware_of_equal_blocks(const Exchange& exchange, Context& context);

} // namespace switchyard::algorithms::forwarding
