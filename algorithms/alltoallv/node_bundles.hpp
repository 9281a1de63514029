// The intra-node phase that coalesced and staggered TuNA share (TuNA paper, section IV-A, algorithm 3, lines
// 6 to 18): afterwards each rank of a node holds all blocks of its node for the ranks that it is the carrier
// of.
//
// The paper runs N exchanges of Q ranks at once, one for each destination node, and so does this: the blocks
// that a rank has for the destinations of one carrier travel as one bundle, and TuNA exchanges the bundles
// between the ranks of the node, over their own group.
#pragma once

#include "bundles.hpp"
#include "algorithms/patterns/node_scratch.hpp"

namespace switchyard::algorithms::alltoallv {

class NodeBundles {
  public:
    using Destination = patterns::Destination;

    NodeBundles(const Exchange& exchange, Context& context)
        : exchange_(exchange), context_(context), group_(exchange.group), map_(*group_.node_map),
          own_node_(group_.own_node()),
          carriers_(map_, map_.node_of(group_.rank)), shape_{own_node_.size, map_.nodes(), map_.largest()},
          layout_(shape_, exchange.max_block), bundles_(own_node_, layout_.bytes, context),
          destinations_(context.workspace.take_array<Destination>(layout_.destinations)),
          blocks_(context.workspace.take_array<Part>(count() * layout_.destinations)) {}

    // Also delivers the blocks for this rank from its own node.
    Status exchange_in_node() {
        bundles_.clear();
        for (int carrier = 0; carrier < own_node_.size; ++carrier) pack(carrier);
        const Parameters inner = patterns::inside_node(own_node_.size, context_.parameters);
        Status status = bundles_.exchange(inner, [](int) { return true; });
        carriers_.for_each_destination(own_node_.rank, [&](int rank, int distance) {
            destinations_[carried_++] = {rank, distance};
        });
        for (int source = 0; source < own_node_.size; ++source) read(source);
        for (int source = 0; source < own_node_.size; ++source)
            if (source != own_node_.rank) status.keep(deliver(source));
        return status;
    }

    const patterns::NodeShape& shape() const { return shape_; }
    const patterns::Carriers& carriers() const { return carriers_; }
    // Whom this rank carries for, by rising distance of their nodes; first itself.
    std::span<const Destination> destinations() const { return destinations_.first(carried_); }
    // The block from a local rank to one of those.
    Part block(std::size_t destination, int source) const {
        return blocks_[destination * count() + static_cast<std::size_t>(source)];
    }

  private:
    std::size_t count() const { return static_cast<std::size_t>(own_node_.size); }

    // Sizes, then blocks, of all that `carrier` will carry for this rank. The own block travels nowhere.
    void pack(int carrier) {
        const auto blocks = static_cast<std::size_t>(carriers_.destinations_of(carrier));
        const patterns::PackedSizes sizes(bundles_.extend(carrier, blocks * layout_.size_bytes),
                                          layout_.size_bytes);
        std::size_t i = 0;
        carriers_.for_each_destination(carrier, [&](int destination, int) {
            const std::size_t size = destination == group_.rank ? 0 : exchange_.send_size(destination);
            sizes.set(i++, size);
            bundles_.append(carrier, exchange_.send_to(destination), size);
        });
    }

    void read(int source) {
        std::byte* const bundle = bundles_.from(source);
        const patterns::PackedSizes sizes(bundle, layout_.size_bytes);
        std::byte* block = bundle + carried_ * layout_.size_bytes;
        for (std::size_t i = 0; i < carried_; ++i) {
            const std::size_t size = sizes.get(i);
            blocks_[i * count() + static_cast<std::size_t>(source)] = {block, size};
            block += size;
        }
    }

    // An application whose counts do not match gets MPI's own answer to that, not an overrun buffer.
    Status deliver(int local_source) {
        const int source = own_node_.rank_in_comm(local_source);
        const Part block = this->block(0, local_source);
        if (block.bytes > exchange_.recv_size(source)) return {MPI_ERR_TRUNCATE};
        copy_bytes(exchange_.recv_from(source), block.data, block.bytes);
        return {};
    }

    const Exchange& exchange_;
    Context& context_;
    const Group& group_;
    const NodeMap& map_;
    const Group own_node_;
    const patterns::Carriers carriers_;
    const patterns::NodeShape shape_;
    const patterns::BundleLayout layout_;
    Bundles bundles_;
    const std::span<Destination> destinations_;
    const std::span<Part> blocks_;
    std::size_t carried_ = 0; // destinations
};

} // namespace switchyard::algorithms::alltoallv
