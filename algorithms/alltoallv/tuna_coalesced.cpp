// Idea: TuNA inside each node, then one message from each rank to each other node. The message has all blocks
//   for one rank there.
// Cost: inside the node TuNA of Q ranks with bundles of N blocks; between nodes N - 1 messages of Q blocks
//   for each rank, in ceil((N - 1) / block_count) waits.
// Needs: direct_from, or the largest block, agreed by all ranks; any number of ranks on each
//   node, wherever they are.
// Departs: where nodes differ, local rank i of a node gets its message from local rank i % q of a node of q
//   ranks. Such a rank carries blocks for several ranks of a larger node and for no rank of a smaller node. A
//   radix above the number of a node's ranks means that number. TuNA runs as metadata=fused with all rounds
//   of a digit under way. Bundles over Wire::limit() travel padded. The receiver knows the length of a
//   message from its own counts, so no sizes travel between nodes. With direct_from they do. intra=shared
//   copies the bundles through the node's memory and sends no message inside the node. A rank that sends to
//   more ranks than nodes has at most Wire::batch() sends under way.
// Source: TuNA paper, section IV, algorithm 3.
#include "algorithms/forwarding/tuna_coalesced.hpp"

namespace switchyard::algorithms::alltoallv {

std::unique_ptr<Schedule> tuna_coalesced_schedule(const Group& group, const Parameters& parameters) {
    return forwarding::tuna_coalesced_schedule(group, parameters);
}

Status tuna_coalesced(const Exchange& exchange, Context& context) {
    return forwarding::tuna_coalesced(exchange, context);
}

} // namespace switchyard::algorithms::alltoallv
