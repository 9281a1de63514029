// Idea: alltoallv's tuna_coalesced for equal blocks: TuNA inside each node, then one message from each rank to
//   each other node.
// Cost: as alltoallv's tuna_coalesced. The messages have blocks alone.
// Needs: memory that the processor can copy; any number of ranks on each node, wherever they are.
// Departs: as alltoallv's tuna_coalesced.
// Source: TuNA paper, section IV, algorithm 3.
#include "algorithms/forwarding/tuna_coalesced.hpp"

namespace switchyard::algorithms::alltoall {

std::unique_ptr<Schedule> tuna_coalesced_schedule(const Group& group, const Parameters& parameters) {
    return forwarding::tuna_coalesced_schedule(group, parameters);
}

Status tuna_coalesced(const Exchange& exchange, Context& context) {
    return forwarding::tuna_coalesced_of_equal_blocks(exchange, context);
}

} // namespace switchyard::algorithms::alltoall
