// Idea: blocks for other nodes are gathered at the ranks of their own node that are in charge of the next
//   hop, so that few messages go between nodes and all ranks share them. After a hop the ranks of a lane hand
//   blocks on among themselves.
// Cost: w = ceil(log_r N) hops with at most ceil((r - 1) l / Q) messages between nodes for each rank, one
//   exchange of Q ranks, and w exchanges of Q / l ranks. radix = nodes: one hop. lanes = Q: equal local ranks
//   exchange, and no block is handed on after the last hop.
// Needs: direct_from, or the largest block, agreed by all ranks; any number of ranks on each node, wherever they are.
// Departs: goes past the papers. Where tuna_coalesced sends Q messages from node to node, node_aware sends
//   one message for each lane. The exchanges inside nodes are TuNA with all rounds of a digit under way, and
//   direct where bundles are large. A radix above the number of nodes means that number; more lanes than
//   ranks on a node mean that number. A message that may exceed Wire::limit() travels padded, since only its
//   sender knows its length. intra=shared copies bundles through the node's memory and sends no message
//   inside the node.
// Source: our own, after the TuNA paper, section IV (Q ports), and the locality-aware Bruck paper, section 3
//   (one local rank for each digit).
#include "node_aware/first_exchange.hpp"
#include "node_aware/handing_on.hpp"
#include "node_aware/hop_messages.hpp"

namespace switchyard::algorithms::alltoallv {

namespace {

class NodeAware {
  public:
    NodeAware(const Exchange& exchange, Context& context)
        : routes_(exchange, context.parameters), waiting_(routes_.layout(), context.workspace),
          first_exchange_(exchange, context, routes_, waiting_),
          messages_(exchange, context, routes_, waiting_), handing_on_(exchange, context, routes_, waiting_) {
    }

    Status run() {
        Status status = first_exchange_.run();
        const std::int64_t radix = routes_.hops().radix();
        for (std::int64_t weight = 1; weight < routes_.map().nodes(); weight *= radix) {
            status.keep(messages_.exchange(weight));
            status.keep(routes_.ends_exchange(weight) ? messages_.deliver(weight)
                                                      : handing_on_.run(weight, messages_));
        }
        return status;
    }

  private:
    const Routes routes_;
    WaitingRows waiting_;
    FirstExchange first_exchange_;
    HopMessages messages_;
    HandingOn handing_on_;
};

Status forward(const Exchange& exchange, Context& context) {
    return NodeAware(exchange, context).run();
}

} // namespace

Status node_aware(const Exchange& exchange, Context& context) {
    Status status = copy_own_block(exchange);
    const std::size_t block = forwarded_bound(exchange.max_block, context.parameters);
    if (block == 0 || exchange.group.size == 1) return status;
    const NodeMap& map = *exchange.group.node_map;
    const NodeShape own = {exchange.group.own_node().size, map.nodes(), map.largest()};
    // The caller reserved enough for any node on all ranks, so this fails on all ranks or on none.
    if (!context.workspace.has(straight_blocks_scratch_bytes(exchange.group.size, context.parameters) +
                               node_aware_scratch_of(own, block, context.parameters)))
        return {MPI_ERR_NO_MEM};
    status.keep(with_straight_blocks(exchange, context, forward));
    return status;
}

} // namespace switchyard::algorithms::alltoallv
