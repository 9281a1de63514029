// The intra-node phase of coalesced and staggered TuNA (TuNA paper, section IV-A, algorithm 3, lines 6 to
// 18). Afterwards each carrier of a node holds all blocks of its node for its destinations.
//
// The paper runs N exchanges of Q ranks at once, one for each destination node. So does this phase: the
// blocks that a rank has for the destinations of one carrier travel as one bundle, and TuNA exchanges the
// bundles inside the node.
#pragma once

#include "bundles.hpp"
#include "node_bundles_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

class NodeBundles {
  public:
    NodeBundles(const Exchange& exchange, Context& context)
        : exchange_(exchange), context_(context), group_(exchange.group), map_(*group_.node_map),
          own_node_(group_.own_node()),
          carriers_(map_, map_.node_of(group_.rank)), shape_{own_node_.size, map_.nodes(), map_.largest()},
          layout_(shape_, exchange.max_block), bundles_(own_node_, layout_.bytes, context),
          destinations_(context.workspace.take_array<Destination>(layout_.destinations)),
          blocks_(context.workspace.take_array<Part>(count() * layout_.destinations)) {}

    // Runs the phase. It also delivers the blocks of the own node for this rank.
    Status exchange_in_node() {
        bundles_.clear();
        for (int carrier = 0; carrier < own_node_.size; ++carrier) pack(carrier);
        const Parameters inner = inside_node(own_node_.size, context_.parameters);
        Status status = bundles_.exchange(inner, [](int) { return true; });
        carriers_.for_each_destination(own_node_.rank, [&](int rank, int distance) {
            destinations_[carried_++] = {rank, distance};
        });
        for (int source = 0; source < own_node_.size; ++source) read(source);
        for (int source = 0; source < own_node_.size; ++source)
            if (source != own_node_.rank) status.keep(deliver_from(source));
        return status;
    }

    const NodeShape& shape() const { return shape_; }
    std::size_t size_bytes() const { return layout_.size_bytes; } // of one block size
    const Carriers& carriers() const { return carriers_; }
    // The destinations of this carrier, by rising distance of their nodes. The first one is the carrier
    // itself.
    std::span<const Destination> destinations() const { return destinations_.first(carried_); }
    // The block of a local rank for one of these destinations. Its `bytes` are its size as a message says it. The size
    // lies before the block.
    Part block(std::size_t destination, int source) const {
        return blocks_[destination * count() + static_cast<std::size_t>(source)];
    }

  private:
    std::size_t count() const { return static_cast<std::size_t>(own_node_.size); }

    // Makes the bundle for `carrier`. This rank's block for itself does not travel.
    void pack(int carrier) {
        carriers_.for_each_destination(carrier, [&](int destination, int) {
            const std::size_t said = destination == group_.rank ? 0 : exchange_.said_size(destination);
            append_block(exchange_, bundles_, carrier, exchange_.send_to(destination), said,
                         layout_.size_bytes);
        });
    }

    // Notes the place of each block in the bundle of that local rank.
    void read(int source) {
        std::byte* next = bundles_.from(source);
        for (std::size_t i = 0; i < carried_; ++i) {
            const std::size_t said = patterns::PackedSizes(next, layout_.size_bytes).get(0);
            next += layout_.size_bytes;
            blocks_[i * count() + static_cast<std::size_t>(source)] = {next, said};
            next += exchange_.bytes_of(said);
        }
    }

    Status deliver_from(int local_source) {
        const Part own = block(0, local_source);
        return deliver(exchange_, own_node_.rank_in_comm(local_source), own.data, own.bytes);
    }

    const Exchange& exchange_;
    Context& context_;
    const Group& group_;
    const NodeMap& map_;
    const Group own_node_;
    const Carriers carriers_;
    const NodeShape shape_;
    const BundleLayout layout_;
    Bundles bundles_;
    const std::span<Destination> destinations_;
    const std::span<Part> blocks_;
    std::size_t carried_ = 0; // destinations
};

// The whole algorithm around the exchange between nodes: own block, workspace, intra-node phase, then
// between_nodes(exchange, context, bundles).
template <typename BetweenNodes>
Status exchange_by_bundles(const Exchange& exchange, Context& context,
                           decltype(Traits::scratch_bytes) scratch_bytes, BetweenNodes&& between_nodes) {
    Status status = copy_own_block(exchange);
    if (exchange.group.size == 1 || forwarded_bound(exchange.max_block, context.parameters) == 0)
        return status;
    const NodeMap& map = *exchange.group.node_map;
    const GroupShape shape{map.ranks(), map.nodes(), map.largest()};
    if (!context.workspace.has(scratch_bytes(shape, exchange.max_block, context.parameters)))
        return {MPI_ERR_NO_MEM};
    status.keep(with_straight_blocks(exchange, context, [&](const Exchange& forwarded, Context& means) {
        NodeBundles bundles(forwarded, means);
        Status forwarding = bundles.exchange_in_node();
        forwarding.keep(between_nodes(forwarded, means, bundles));
        return forwarding;
    }));
    return status;
}

} // namespace switchyard::algorithms::alltoallv
