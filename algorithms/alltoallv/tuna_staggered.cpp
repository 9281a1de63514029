// Idea: TuNA inside each node, then each block that left a node's other ranks goes to its destination by itself.
// Cost: inside the node TuNA of Q ranks with bundles of N blocks; between nodes (N - 1) Q messages of one block
//   a rank, in ceil((N - 1) Q / block_count) waits.
// Needs: the largest block, agreed by all ranks; any number of ranks on each node, wherever they are.
// Departs: where nodes differ, as tuna_coalesced does; batches then count (distance, local source) pairs of the
//   largest node, so that both sides cut them alike. Blocks of no bytes send nothing. intra=shared: bundles are
//   copied through the node's memory instead, in no message.
// Source: TuNA paper, section IV, algorithm 2.
#include "node_bundles.hpp"

namespace switchyard::algorithms::alltoallv {

namespace {

class Staggered {
  public:
    Staggered(const Exchange& exchange, Context& context, const NodeBundles& bundles)
        : exchange_(exchange), map_(*exchange.group.node_map), bundles_(bundles), wire_(context.wire),
          block_count_(
              std::min<std::int64_t>(context.parameters[Parameter::block_count], Wire::largest_batch)) {}

    Status run() { // lines 2 to 18
        Status status;
        const std::int64_t local = map_.largest(), all = (map_.nodes() - 1) * local;
        std::size_t first = 1; // destination of the distance; the first of all is this rank
        for (std::int64_t begin = 0; begin < all; begin += block_count_) {
            const std::int64_t end = std::min(begin + block_count_, all);
            for (std::int64_t i = begin; i < end; ++i)
                receive(static_cast<int>(i / local) + 1, static_cast<int>(i % local));
            for (std::int64_t i = begin; i < end; ++i)
                first = send(first, static_cast<int>(i / local) + 1, static_cast<int>(i % local));
            status.keep(wire_.wait_all());
        }
        return status;
    }

  private:
    // The block from that local rank of the node that many places down the ring.
    void receive(int distance, int local_source) {
        const int node = bundles_.carriers().node_down(distance);
        if (local_source >= map_.size_of(node)) return;
        const int source = map_.rank_of(node, local_source);
        wire_.receive(bundles_.carriers().carrier_on(node, exchange_.group.rank), exchange_.recv_from(source),
                      exchange_.recv_size(source));
    }

    // The blocks of that local rank for all whom this rank carries for on the node that many places up.
    // Returns the first destination that is at least as far.
    std::size_t send(std::size_t first, int distance, int local_source) {
        const auto destinations = bundles_.destinations();
        while (first < destinations.size() && destinations[first].distance < distance) ++first;
        if (local_source >= bundles_.shape().ranks) return first;
        for (std::size_t i = first; i < destinations.size() && destinations[i].distance == distance; ++i) {
            const Part block = bundles_.block(i, local_source);
            wire_.send(destinations[i].rank, block.data, block.bytes);
        }
        return first;
    }

    const Exchange& exchange_;
    const NodeMap& map_;
    const NodeBundles& bundles_;
    Wire& wire_;
    const std::int64_t block_count_;
};

} // namespace

Status tuna_staggered(const Exchange& exchange, Context& context) {
    Status status = copy_own_block(exchange);
    if (exchange.max_block == 0 || exchange.group.size == 1) return status;
    const NodeMap& map = *exchange.group.node_map;
    const auto scratch = patterns::tuna_staggered_scratch_bytes({map.ranks(), map.nodes(), map.largest()},
                                                                exchange.max_block, context.parameters);
    if (!context.workspace.has(scratch)) return {MPI_ERR_NO_MEM};
    NodeBundles bundles(exchange, context);
    status.keep(bundles.exchange_in_node());
    status.keep(Staggered(exchange, context, bundles).run());
    return status;
}

} // namespace switchyard::algorithms::alltoallv
