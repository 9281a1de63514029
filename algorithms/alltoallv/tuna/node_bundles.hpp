// The intra-node phase of coalesced and staggered TuNA (TuNA paper, section IV-A, algorithm 3, lines 6 to
// 18). Afterwards each carrier of a node holds all blocks of its node for its destinations.
//
// The paper runs N exchanges of Q ranks at once, one for each destination node. So does this phase: the
// blocks that a rank has for the destinations of one carrier travel as one bundle, and TuNA exchanges the
// bundles inside the node.
#pragma once

#include "bundles.hpp"
#include "node_bundles_schedule.hpp"

namespace switchyard::algorithms::alltoallv {

// Size is the type of block sizes in a message.
template <typename Size>
class NodeBundles {
  public:
    NodeBundles(const Exchange& exchange, Context& context, const NodeBundlesSchedule& schedule)
        : exchange_(exchange), schedule_(schedule), said_sizes_(exchange),
          layout_(schedule.shape(), exchange.max_block),
          bundles_(schedule.own_node(), layout_.bytes, context),
          blocks_(context.workspace.take_array<Part>(count() * layout_.destinations).data()) {}

    // Runs the phase. It also delivers the blocks of the own node for this rank.
    Status exchange_in_node() {
        bundles_.start([&] { return bytes_with_sizes<Size>(exchange_, said_sizes_); });
        for (int carrier = 0; carrier < own_node().size; ++carrier)
            bundles_.set_end(carrier, pack(schedule_.destinations_of(carrier), bundles_.begin()));
        Status status = bundles_.exchange(schedule_.inner(), [](int) { return true; });
        for (int source = 0; source < own_node().size; ++source) read(source);
        for (int source = 0; source < own_node().size; ++source)
            if (source != own_node().rank) status.keep(deliver_from(source));
        return status;
    }

    const SaidSizes& said_sizes() const { return said_sizes_; }
    const NodeBundlesSchedule& schedule() const { return schedule_; }
    const NodeShape& shape() const { return schedule_.shape(); }
    const Carriers& carriers() const { return schedule_.carriers(); }
    // The destinations of this carrier, by rising distance of their nodes. The first one is the carrier
    // itself.
    std::span<const Destination> destinations() const { return schedule_.carried(); }
    // The block of a local rank for one of these destinations. Its `bytes` are its size as a message says it. The size
    // lies before the block.
    const Part& block(std::size_t destination, int source) const {
        return blocks_[destination * count() + static_cast<std::size_t>(source)];
    }

  private:
    const Group& own_node() const { return schedule_.own_node(); }
    std::size_t count() const { return static_cast<std::size_t>(own_node().size); }

    // Returns the end of the bundle. This rank's block for itself does not travel.
    std::byte* pack(std::span<const int> destinations, std::byte* end) const {
        const SaidSizes said_sizes = said_sizes_;
        for (const int destination : destinations)
            end = destination == exchange_.group.rank
                      ? put_block<Size>(end, nullptr, 0, said_sizes)
                      : put_block_for<Size>(destination, end, exchange_, said_sizes);
        return end;
    }

    // Notes the place of each block in the bundle of that local rank.
    void read(int source) {
        std::byte* next = bundles_.from(source);
        Part* place = blocks_ + source;
        for (std::size_t left = destinations().size(); left > 0; --left, place += count()) {
            const std::size_t said = patterns::size_at<Size>(next);
            next += sizeof(Size);
            *place = {next, said};
            next += said_sizes_.bytes(said);
        }
    }

    Status deliver_from(int local_source) {
        const Part& own = block(0, local_source);
        return deliver(exchange_, own_node().rank_in_comm(local_source), own.data, own.bytes);
    }

    const Exchange& exchange_;
    const NodeBundlesSchedule& schedule_;
    const SaidSizes said_sizes_;
    const BundleLayout layout_;
    Bundles bundles_;
    Part* const blocks_;
};

// The whole algorithm around the exchange between nodes: own block, workspace, intra-node phase, then
// between_nodes(exchange, context, bundles). `between_bytes`: its workspace, from the shape of the node, the bound of a
// forwarded block and the parameters.
template <typename BetweenBytes, typename BetweenNodes>
Status exchange_by_bundles(const Exchange& exchange, Context& context, BetweenBytes&& between_bytes,
                           BetweenNodes&& between_nodes) {
    Status status = copy_own_block(exchange);
    const Parameters& parameters = context.parameters;
    const std::size_t block = forwarded_bound(exchange.max_block, parameters);
    if (exchange.group.size == 1 || block == 0) return status;
    const auto& schedule = static_cast<const NodeBundlesSchedule&>(*context.schedule);
    const BundleLayout layout(schedule.shape(), block);
    const std::size_t bytes =
        node_bundles_scratch_of(schedule.shape(), block, schedule.inner().scratch_bytes(layout.bytes),
                                between_bytes(schedule.shape(), block, parameters));
    // The caller reserved enough for any node on all ranks, so this fails on all ranks or on none.
    if (!context.workspace.has(straight_blocks_scratch_bytes(exchange.group.size, parameters) + bytes))
        return {MPI_ERR_NO_MEM};
    status.keep(with_straight_blocks(exchange, context, [&](const Exchange& forwarded, Context& means) {
        return patterns::with_size_type(layout.size_bytes, [&](auto size) {
            NodeBundles<decltype(size)> bundles(forwarded, means, schedule);
            Status forwarding = bundles.exchange_in_node();
            forwarding.keep(between_nodes(forwarded, means, bundles));
            return forwarding;
        });
    }));
    return status;
}

} // namespace switchyard::algorithms::alltoallv
