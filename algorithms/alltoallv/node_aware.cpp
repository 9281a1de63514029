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
//   no message inside the node.
// Source: our own, after the TuNA paper, section IV (Q ports), and the locality-aware Bruck paper, section 3
//   (one local rank for each digit).
#include "algorithms/transport/with_direct_blocks.hpp"
#include "node_aware/first_exchange.hpp"
#include "node_aware/handing_on.hpp"
#include "node_aware/hop_messages.hpp"

namespace switchyard::algorithms::alltoallv {

namespace {

// Size is the type of block sizes in a message.
template <typename Size>
class NodeAware {
  public:
    NodeAware(const Exchange& exchange, Context& context, const NodeAwareSchedule& schedule,
              const NodeAwareLayout& layout)
        : schedule_(schedule), waiting_(schedule.shape(), layout, context.workspace),
          first_exchange_(exchange, context, schedule, layout, waiting_),
          messages_(exchange, context, layout, waiting_),
          handing_on_(exchange, context, schedule, layout, waiting_) {}

    Status run() {
        Status status = first_exchange_.run();
        for (const Hop& hop : schedule_.hops()) {
            messages_.start(hop);
            status.keep(hop.ends_exchange ? messages_.deliver(hop) : handing_on_.run(hop, messages_));
        }
        return status;
    }

  private:
    const NodeAwareSchedule& schedule_;
    WaitingRows waiting_;
    FirstExchange<Size> first_exchange_;
    HopMessages<Size> messages_;
    HandingOn<Size> handing_on_;
};

} // namespace

std::unique_ptr<Schedule> node_aware_schedule(const Group& group, const Parameters& parameters) {
    return std::make_unique<NodeAwareSchedule>(group, parameters);
}

Status node_aware(const Exchange& exchange, Context& context) {
    Status status = copy_own_block(exchange);
    const std::size_t block = forwarded_bound(exchange.max_block, context.parameters);
    if (block == 0 || exchange.group.size == 1) return status;
    const auto& schedule = static_cast<const NodeAwareSchedule&>(*context.schedule);
    const NodeAwareLayout layout(schedule.shape(), block);
    // The caller reserved enough for any node on all ranks, so this fails on all ranks or on none.
    if (!context.workspace.has(direct_blocks_scratch_bytes(exchange.group.size, context.parameters) +
                               schedule.scratch_bytes(layout)))
        return Fault::no_memory;
    status.keep(with_direct_blocks(exchange, context, [&](const Exchange& forwarded, Context& means) {
        return patterns::with_size_type(layout.size_bytes, [&](auto size) {
            return NodeAware<decltype(size)>(forwarded, means, schedule, layout).run();
        });
    }));
    return status;
}

} // namespace switchyard::algorithms::alltoallv
