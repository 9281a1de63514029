// Idea: TuNA inside each node, then one message from each rank to each other node. It has all blocks for one
//   rank there.
// Cost: inside the node TuNA of Q ranks with bundles of N blocks; between nodes N - 1 messages of Q blocks
//   for each rank, in ceil((N - 1) / block_count) waits.
// Needs: the largest block, agreed by all ranks; any number of ranks on each node, wherever they are.
// Departs: where nodes differ, local rank i of a node gets its message from local rank i % q of a node of q
//   ranks. Such a rank carries blocks for several ranks of a larger node and for no rank of a smaller node. A
//   radix above the number of a node's ranks means that number. TuNA runs as metadata=fused with all rounds
//   of a digit under way. Bundles over Wire::limit() travel padded. The receiver knows the length of a
//   message from its own counts. intra=shared copies the bundles through the node's memory and sends no
//   message inside the node.
// Source: TuNA paper, section IV, algorithm 3.
#include "tuna/node_bundles.hpp"
#include "tuna_coalesced_scratch.hpp"

#include <numeric>

namespace switchyard::algorithms::alltoallv {

namespace {

using patterns::Batch;

class Coalesced {
  public:
    Coalesced(const Exchange& exchange, Context& context, const NodeBundles& bundles)
        : exchange_(exchange), map_(*exchange.group.node_map), bundles_(bundles), wire_(context.wire),
          layout_(bundles.shape(), exchange.max_block, context.parameters),
          outgoing_(context.workspace.take(layout_.nodes_at_once * layout_.out_bytes).data()),
          incoming_(context.workspace.take(layout_.nodes_at_once * layout_.in_bytes).data()) {}

    Status run() { // lines 20 to 30
        Status status;
        std::size_t next = 1; // destination; destination 0 is this rank
        for (Batch batch(map_.nodes(), static_cast<std::int64_t>(layout_.nodes_at_once)); batch.valid();
             batch.advance()) {
            std::byte* in = incoming_;
            for (int distance = batch.first(); distance < batch.last(); ++distance, in += layout_.in_bytes)
                receive(bundles_.carriers().node_down(distance), in);
            std::byte* out = outgoing_;
            for (const auto all = bundles_.destinations();
                 next < all.size() && all[next].distance < batch.last(); ++next)
                out = send(next, out);
            status.keep(wire_.wait_all());
            in = incoming_;
            for (int distance = batch.first(); distance < batch.last(); ++distance, in += layout_.in_bytes)
                deliver(bundles_.carriers().node_down(distance), in);
        }
        return status;
    }

  private:
    void receive(int node, std::byte* message) {
        const auto sources = map_.ranks_of(node);
        const std::size_t bytes =
            std::accumulate(sources.begin(), sources.end(), std::size_t{0},
                            [&](std::size_t sum, int source) { return sum + exchange_.recv_size(source); });
        wire_.receive(bundles_.carriers().carrier_on(node, exchange_.group.rank), message,
                      std::min(bytes, layout_.in_bytes));
    }

    // Line 19: the blocks of all local ranks, without gaps.
    std::byte* send(std::size_t destination, std::byte* message) {
        std::byte* end = message;
        for (int source = 0; source < bundles_.shape().ranks; ++source) {
            const Part block = bundles_.block(destination, source);
            copy_bytes(end, block.data, block.bytes);
            end += block.bytes;
        }
        wire_.send(bundles_.destinations()[destination].rank, message,
                   static_cast<std::size_t>(end - message));
        return end;
    }

    void deliver(int node, const std::byte* message) {
        std::size_t left = layout_.in_bytes; // an application may expect more than the largest block
        for (const int source : map_.ranks_of(node)) {
            const std::size_t bytes = std::min(exchange_.recv_size(source), left);
            copy_bytes(exchange_.recv_from(source), message, bytes);
            message += bytes;
            left -= bytes;
        }
    }

    const Exchange& exchange_;
    const NodeMap& map_;
    const NodeBundles& bundles_;
    Wire& wire_;
    const CoalescedLayout layout_;
    std::byte* const outgoing_;
    std::byte* const incoming_;
};

} // namespace

Status tuna_coalesced(const Exchange& exchange, Context& context) {
    return exchange_by_bundles(
        exchange, context, tuna_coalesced_scratch_bytes,
        [&](const NodeBundles& bundles) { return Coalesced(exchange, context, bundles).run(); });
}

} // namespace switchyard::algorithms::alltoallv
