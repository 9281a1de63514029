// Idea: blocks for other nodes are gathered at the ranks of their own node that are in charge of the next
//   hop, so that few messages go between nodes and all ranks share them. After a hop the ranks of a lane hand
//   blocks on among themselves.
// Cost: w = ceil(log_r N) hops with at most ceil((r - 1) l / Q) messages between nodes for each rank, one
//   exchange of Q ranks, and w exchanges of Q / l ranks. radix = nodes: one hop. lanes = Q: equal local ranks
//   exchange, and no block is handed on after the last hop.
// Needs: direct_from, or the largest block, agreed by all ranks; any number of ranks on each
//   node, wherever they are.
// Departs: goes beyond the papers. Where tuna_coalesced sends Q messages from node to node, node_aware sends
//   one message for each lane. The exchanges inside nodes are TuNA with all rounds of a digit under way, and
//   direct where bundles are large. A radix above the number of nodes means the number of nodes; more lanes
//   than ranks on a node means the number of ranks. A message that may exceed Wire::limit() travels padded,
//   since only its sender knows its length. intra=shared copies bundles through the node's memory and sends
//   no message inside the node. At most Wire::batch() messages of a hop are under way at once.
// Source: our own, after the TuNA paper, section IV (Q ports), and the locality-aware Bruck paper, section 3
//   (one local rank for each digit).
#include "algorithms/forwarding/node_aware.hpp"

namespace switchyard::algorithms::alltoallv {

std::unique_ptr<Schedule> node_aware_schedule(const Group& group, const Parameters& parameters) {
    return forwarding::node_aware_schedule(group, parameters);
}

Status node_aware(const Exchange& exchange, Context& context) {
    return forwarding::node_aware(exchange, context);
}

} // namespace switchyard::algorithms::alltoallv
