// Idea: TuNA inside each node, then each block for another node goes to its destination in a message of its
//   own.
// Cost: inside the node TuNA of Q ranks with bundles of N blocks; between nodes (N - 1) Q messages of one
//   block for each rank, in ceil((N - 1) Q / block_count) waits.
// Needs: the largest block, agreed by all ranks; any number of ranks on each node, wherever they are.
// Departs: where nodes differ, as tuna_coalesced does. Batches then count the (distance, local source) pairs
//   of the largest node, so that both sides cut them alike. Blocks of no bytes send no message. intra=shared
//   copies the bundles through the node's memory and sends no message inside the node.
// Source: TuNA paper, section IV, algorithm 2.
#include "tuna/node_bundles.hpp"
#include "tuna_staggered_scratch.hpp"

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
        std::size_t first = 1; // the first destination of a distance; destination 0 is this rank
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
    // Receives the block of that local rank of the node `distance` places down the ring.
    void receive(int distance, int local_source) {
        const int node = bundles_.carriers().node_down(distance);
        if (local_source >= map_.size_of(node)) return;
        const int source = map_.rank_of(node, local_source);
        wire_.receive(bundles_.carriers().carrier_on(node, exchange_.group.rank), exchange_.recv_from(source),
                      exchange_.recv_size(source));
    }

    // Sends the blocks of that local rank to this carrier's destinations on the node `distance` places up the
    // ring. Returns the first destination that is at least as far.
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
    return exchange_by_bundles(
        exchange, context, tuna_staggered_scratch_bytes,
        [&](const NodeBundles& bundles) { return Staggered(exchange, context, bundles).run(); });
}

} // namespace switchyard::algorithms::alltoallv
