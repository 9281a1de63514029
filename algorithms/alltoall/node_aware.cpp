// Idea: alltoallv's node_aware for equal blocks: blocks for other nodes are gathered at the ranks of their own
//   node that are in charge of the next hop, so that few messages go between nodes and all ranks share them.
// Cost: as alltoallv's node_aware. The messages have blocks alone, and nothing is agreed.
// Needs: memory that the processor can copy; any number of ranks on each node, wherever they are.
// Departs: as alltoallv's node_aware.
// Source: our own, after the TuNA paper, section IV (Q ports), and the locality-aware Bruck paper, section 3
//   (one local rank for each digit).
#include "algorithms/forwarding/node_aware.hpp"

namespace switchyard::algorithms::alltoall {

std::unique_ptr<Schedule> node_aware_schedule(const Group& group, const Parameters& parameters) {
    return forwarding::node_aware_schedule(group, parameters);
}

Status node_aware(const Exchange& exchange, Context& context) {
    return forwarding::node_aware_of_equal_blocks(exchange, context);
}

} // namespace switchyard::algorithms::alltoall
