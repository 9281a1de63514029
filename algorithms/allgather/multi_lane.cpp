// Idea: the ranks of a node are in lanes of their own. Each lane gathers the blocks of its local rank from
//   all nodes, then the ranks of a node share the blocks of their lanes.
// Cost: ceil(log2 N) messages between nodes for each rank, with N - 1 blocks in all; then ceil(log2 Q)
//   messages inside the node, with (Q - 1) N blocks.
// Needs: memory that the processor can copy; any number of ranks on each node,
//   wherever they are.
// Departs: where nodes differ, local rank i % q of a node of q ranks serves lane i, and nodes without a local
//   rank i add no block to the lane. Both phases are dissemination, with each block directly to its place in
//   scratch memory. intra=shared shares the blocks of the lanes through the node's memory and sends no
//   message inside the node. Blocks may differ in size.
// Source: locality-aware Bruck paper, section 5, the multi-lane approach for comparison.
#include "node_order.hpp"

namespace switchyard::algorithms::allgather {

namespace {

class Lanes {
  public:
    Lanes(Wire& wire, NodeOrder& order) : wire_(wire), order_(order), map_(order.map()) {}

    Status gather_lanes() {
        const int self = order_.own_node().rank, ranks = order_.own_node().size;
        wire_.enter(Phase::inter);
        Status status;
        for (int distance = 1; distance < order_.nodes(); distance *= 2) {
            const int count = std::min(distance, order_.nodes() - distance);
            const int source = order_.node_up(distance), destination = order_.node_down(distance);
            for (int lane = self; lane < map_.largest(); lane += ranks)
                wire_.receive_parts(server_on(source, lane), list(lane, distance, distance + count));
            for (int lane = self; lane < map_.largest(); lane += ranks)
                wire_.send_parts(server_on(destination, lane), list(lane, 0, count));
            status.keep(wire_.wait_all());
        }
        return status;
    }

    Status gather_in_node() {
        return order_.gather_in_node([&](int local, auto&& add) {
            for (int lane = local; lane < map_.largest(); lane += order_.own_node().size)
                for_each_block(lane, 0, order_.nodes(), add);
        });
    }

  private:
    int server_on(int node, int lane) const { return map_.rank_of(node, lane % map_.size_of(node)); }

    // Calls add(Part) for the blocks of a lane from the nodes first <= distance < last up the ring.
    template <typename Add>
    void for_each_block(int lane, int first, int last, Add&& add) const {
        for (int distance = first; distance < last; ++distance) {
            const int node = order_.node_up(distance);
            if (lane < map_.size_of(node)) add(order_.block_of(map_.rank_of(node, lane)));
        }
    }
    std::span<const Part> list(int lane, int first, int last) {
        return order_.list([&](auto&& add) { for_each_block(lane, first, last, add); });
    }

    Wire& wire_;
    NodeOrder& order_;
    const NodeMap& map_;
};

} // namespace

Status multi_lane(const Exchange& exchange, Context& context) {
    return in_node_order(exchange, context, [&](NodeOrder& order) {
        Lanes lanes(context.wire, order);
        Status status = lanes.gather_lanes();
        status.keep(lanes.gather_in_node());
        return status;
    });
}

} // namespace switchyard::algorithms::allgather
