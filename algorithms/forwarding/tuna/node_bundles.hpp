// The intra-node phase of coalesced and staggered TuNA (TuNA paper, section IV-A, algorithm 3, lines 6 to
// 18). Afterwards each carrier of a node holds all blocks of its node for its destinations.
//
// The paper runs N exchanges of Q ranks at once, one for each destination node. So does this phase: the
// blocks that a rank has for the destinations of one carrier travel as one bundle, and TuNA exchanges the
// bundles inside the node.
#pragma once

#include "algorithms/transport/with_direct_blocks.hpp"
#include "bundles.hpp"
#include "node_bundles_schedule.hpp"

namespace switchyard::algorithms::forwarding {

// Size is the type of block sizes in a message.
template <typename Size>
class NodeBundles {
  public:
    NodeBundles(const Exchange& exchange, Context& context, const NodeBundlesSchedule& schedule)
        : exchange_(exchange), wire_(context.wire), schedule_(schedule),
          layout_(schedule.shape(), {exchange.max_block, size_bytes<Size>}),
          bundles_(schedule.own_node(), layout_.bytes, context),
          blocks_(context.workspace.take_array<Part>(count() * layout_.destinations).data()) {}

    // Runs the phase. It also delivers the blocks of the own node for this rank.
    Status exchange_in_node() {
        return with_sizes_of<Size>(exchange_,
                                   [&](const auto& said_sizes) { return exchange_in_node(said_sizes); });
    }

    const NodeBundlesSchedule& schedule() const { return schedule_; }
    const NodeShape& shape() const { return schedule_.shape(); }
    const Carriers& carriers() const { return schedule_.carriers(); }
    // The destinations of this carrier, by rising distance of their nodes. The first
    // one is the carrier itself.
    std::span<const Destination> destinations() const { return schedule_.carried(); }
    // The block of a local rank for one of these destinations. Its `bytes` are its size as a message says it.
    // The size lies before the block.
    const Part& block(std::size_t destination, int source) const {
        return blocks_[destination * count() + static_cast<std::size_t>(source)];
    }

    // The blocks of all local ranks for one of these destinations.
    std::span<const Part> blocks(std::size_t destination) const {
        return {blocks_ + destination * count(), count()};
    }

  private:
    const Group& own_node() const { return schedule_.own_node(); }
    std::size_t count() const { return static_cast<std::size_t>(own_node().size); }

    template <typename Sizes>
    Status exchange_in_node(const Sizes& said_sizes) {
        bundles_.start([&] { return bytes_with_sizes<Size>(exchange_, said_sizes); });
        wire_.enter(Phase::rearrange);
        for (int carrier = 0; carrier < own_node().size; ++carrier)
            bundles_.set_end(carrier, pack(carrier, bundles_.begin(), said_sizes));
        Status status = bundles_.exchange(schedule_.inner(), [](int) { return true; });
        wire_.enter(Phase::rearrange);
        for (int source = 0; source < own_node().size; ++source) read(source, said_sizes);
        for (int source = 0; source < own_node().size; ++source)
            if (source != own_node().rank) deliver_from(source, said_sizes, status);
        return status;
    }

    // Returns the end of the bundle. This rank's block for itself, the first of its own bundle, does not
    // travel. Where bundles do not say sizes, it leaves a gap.
    template <typename Sizes>
    std::byte* pack(int carrier, std::byte* end, const Sizes& said_sizes) const {
        auto destinations = schedule_.destinations_of(carrier);
        if (carrier == own_node().rank) {
            if constexpr (has_size<Size>)
                end = put_block<Size>(end, nullptr, 0, said_sizes);
            else
                end += said_sizes.block();
            destinations = destinations.subspan(1);
        }
        return put_blocks_for<Size>(destinations, end, exchange_, said_sizes);
    }

    // Notes the place of each block in the bundle of that local rank.
    template <typename Sizes>
    void read(int source, const Sizes& said_sizes) {
        std::byte* next = bundles_.from(source);
        Part* place = blocks_ + source;
        const std::size_t step = count();
        for (std::size_t left = destinations().size(); left > 0; --left, place += step) {
            const std::size_t said = said_at<Size>(next, said_sizes);
            next += size_bytes<Size>;
            *place = {next, said};
            next += said_sizes.bytes(said);
        }
    }

    template <typename Sizes>
    void deliver_from(int local_source, const Sizes& said_sizes, Status& status) {
        const Part& own = block(0, local_source);
        deliver(exchange_, own_node().rank_in_comm(local_source), own.data, own.bytes, said_sizes, status);
    }

    const Exchange& exchange_;
    Wire& wire_;
    const NodeBundlesSchedule& schedule_;
    const BundleLayout layout_;
    Bundles bundles_;
    Part* const blocks_;
};

// The whole algorithm around its phases: own block, workspace, then phases(exchange, context, schedule).
// `framed`: a forwarded block in a bundle. `between_bytes`: the workspace of the exchange between nodes, from
// the shape of the node, the bound of a forwarded block and the parameters.
template <typename BetweenBytes, typename Phases>
Status in_node_bundles(const patterns::FramedBlock& framed, const Exchange& exchange, Context& context,
                       BetweenBytes&& between_bytes, Phases&& phases) {
    Status status = copy_own_block(exchange);
    const Parameters& parameters = context.parameters;
    if (exchange.group.size == 1 || framed.block_bytes == 0) return status;
    const auto& schedule = static_cast<const NodeBundlesSchedule&>(*context.schedule);
    const BundleLayout layout(schedule.shape(), framed);
    const std::size_t bytes =
        node_bundles_scratch_of(schedule.shape(), framed, schedule.inner().scratch_bytes(layout.bytes),
                                between_bytes(schedule.shape(), framed.block_bytes, parameters));
    // The caller reserved enough for any node on all ranks, so this fails on all ranks or on none.
    if (!context.workspace.has(direct_blocks_scratch_bytes(exchange.group.size, parameters) + bytes))
        return Fault::no_memory;
    status.keep(with_direct_blocks(exchange, context, [&](const Exchange& forwarded, Context& means) {
        return phases(forwarded, means, schedule);
    }));
    return status;
}

// The phases: first inside the node, then between_nodes(exchange, context, bundles).
template <typename Size, typename BetweenNodes>
Status exchange_bundles(const Exchange& exchange, Context& context, const NodeBundlesSchedule& schedule,
                        BetweenNodes&& between_nodes) {
    NodeBundles<Size> bundles(exchange, context, schedule);
    Status status = bundles.exchange_in_node();
    status.keep(between_nodes(exchange, context, bundles));
    return status;
}

// The whole algorithm for blocks with sizes.
template <typename BetweenBytes, typename BetweenNodes>
Status exchange_by_bundles(const Exchange& exchange, Context& context, BetweenBytes&& between_bytes,
                           BetweenNodes&& between_nodes) {
    const auto framed =
        patterns::FramedBlock::with_size(forwarded_bound(exchange.max_block, context.parameters));
    return in_node_bundles(
        framed, exchange, context, between_bytes, [&](auto& forwarded, auto& means, auto& schedule) {
            return patterns::with_size_type(framed.size_bytes, [&](auto size) {
                return exchange_bundles<decltype(size)>(forwarded, means, schedule, between_nodes);
            });
        });
}

} // namespace switchyard::algorithms::forwarding
