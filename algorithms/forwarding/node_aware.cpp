// node_aware, for blocks with sizes (alltoallv) and for equal blocks (alltoall). alltoallv/node_aware.cpp says
// what it costs and what it comes from.
#include "node_aware.hpp"
#include "algorithms/transport/with_direct_blocks.hpp"
#include "node_aware/first_exchange.hpp"
#include "node_aware/handing_on.hpp"
#include "node_aware/hop_messages.hpp"

namespace switchyard::algorithms::forwarding {

namespace {

// Size is the type of block sizes in a message.
template <typename Size>
class NodeAware {
  public:
    NodeAware(const Exchange& exchange, Context& context, const NodeAwareSchedule& schedule,
              const NodeAwareLayout& layout)
        : schedule_(schedule), waiting_(schedule.shape(), layout, context.workspace),
          first_exchange_(exchange, context, schedule, layout, waiting_),
          messages_(exchange, context, schedule, layout, waiting_),
          handing_on_(exchange, context, schedule, layout, waiting_) {}

    Status run() {
        Status status = first_exchange_.run();
        for (const Hop& hop : schedule_.hops())
            status.keep(hop.ends_exchange ? messages_.deliver(hop) : handing_on_.run(hop, messages_));
        return status;
    }

  private:
    const NodeAwareSchedule& schedule_;
    WaitingRows waiting_;
    FirstExchange<Size> first_exchange_;
    HopMessages<Size> messages_;
    HandingOn<Size> handing_on_;
};

// The whole algorithm. `framed`: the bound of a forwarded block in a message. run(exchange, context, schedule,
// layout) runs NodeAware with the type of its sizes.
template <typename Run>
Status node_aware_with(const patterns::FramedBlock& framed, const Exchange& exchange, Context& context,
                       Run&& run) {
    Status status = copy_own_block(exchange);
    if (framed.block_bytes == 0 || exchange.group.size == 1) return status;
    const auto& schedule = static_cast<const NodeAwareSchedule&>(*context.schedule);
    const NodeAwareLayout layout(schedule.shape(), framed);
    // The caller reserved enough for any node on all ranks, so this fails on all ranks or on none.
    if (!context.workspace.has(direct_blocks_scratch_bytes(exchange.group.size, context.parameters) +
                               schedule.scratch_bytes(layout)))
        return Fault::no_memory;
    status.keep(with_direct_blocks(exchange, context, [&](const Exchange& forwarded, Context& means) {
        return run(forwarded, means, schedule, layout);
    }));
    return status;
}

} // namespace

std::unique_ptr<Schedule> node_aware_schedule(const Group& group, const Parameters& parameters) {
    return std::make_unique<NodeAwareSchedule>(group, parameters);
}

Status node_aware(const Exchange& exchange, Context& context) {
    const auto framed =
        patterns::FramedBlock::with_size(forwarded_bound(exchange.max_block, context.parameters));
    return node_aware_with(framed, exchange, context, [&](auto&... all) {
        return patterns::with_size_type(framed.size_bytes,
                                        [&](auto size) { return NodeAware<decltype(size)>(all...).run(); });
    });
}

Status node_aware_of_equal_blocks(const Exchange& exchange, Context& context) {
    const auto alone = patterns::FramedBlock::alone(exchange.max_block);
    return node_aware_with(alone, exchange, context,
                           [](auto&... all) { return NodeAware<patterns::NoSize>(all...).run(); });
}

} // namespace switchyard::algorithms::forwarding
