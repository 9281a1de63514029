// Idea: each node gathers its blocks at a leader, the leaders run Bruck's exchange, and each leader
//   broadcasts in its node.
// Cost: a leader receives Q - 1 messages of one block, and sends ceil(log2 N) messages between nodes with the
//   blocks of N - 1 nodes in all. Then all blocks travel ceil(log2 Q) times inside the node.
// Needs: memory that the processor can copy; any number of ranks on each node,
//   wherever they are.
// Departs: the broadcast is binomial. The last step among leaders sends only the missing blocks. intra=shared
//   copies blocks through the node's memory and sends no message inside the node. Blocks may differ in size.
//   A leader has at most Wire::batch() receives under way.
// Source: locality-aware Bruck paper, section 5, the hierarchical approach for comparison.
#include "node_order.hpp"

namespace switchyard::algorithms::allgather {

namespace {

Status gather_at_leader(Wire& wire, const NodeOrder& order) {
    const Group& node = order.own_node();
    const Part own = order.block_of(node.rank_in_comm(node.rank));
    wire.enter(Phase::data);
    Status status;
    if (node.rank != 0) wire.send(node.rank_in_comm(0), own.data, own.bytes);
    for (int local = 1; node.rank == 0 && local < node.size; ++local) {
        const int member = node.rank_in_comm(local);
        const Part block = order.block_of(member);
        wire.receive(member, block.data, block.bytes);
        if (local % wire.batch() == 0) status.keep(wire.wait_all());
    }
    status.keep(wire.wait_all());
    return status;
}

std::span<const Part> of_nodes(NodeOrder& order, int first, int last) {
    return order.list([&](auto&& add) { order.add_nodes(first, last, add); });
}

Status exchange_among_leaders(Wire& wire, NodeOrder& order) {
    wire.enter(Phase::inter);
    Status status;
    for (int distance = 1; distance < order.nodes(); distance *= 2) {
        const int count = std::min(distance, order.nodes() - distance);
        wire.receive_parts(order.map().rank_of(order.node_up(distance), 0),
                           of_nodes(order, distance, distance + count));
        wire.send_parts(order.map().rank_of(order.node_down(distance), 0), of_nodes(order, 0, count));
        status.keep(wire.wait_all());
    }
    return status;
}

Status broadcast_in_node(Wire& wire, NodeOrder& order) {
    const Group& node = order.own_node();
    wire.enter(Phase::data);
    Status status;
    for (int distance = 1; distance < node.size; distance *= 2) { // ranks that have the blocks send them on
        if (node.rank >= distance && node.rank < 2 * distance)
            wire.receive_parts(node.rank_in_comm(node.rank - distance), of_nodes(order, 0, order.nodes()));
        if (node.rank < distance && node.rank + distance < node.size)
            wire.send_parts(node.rank_in_comm(node.rank + distance), of_nodes(order, 0, order.nodes()));
        status.keep(wire.wait_all());
    }
    return status;
}

// The same two phases by copying. First all ranks of the node share their blocks. Later they copy only the
// blocks of other nodes from the leader.
Status share_own_blocks(NodeOrder& order) {
    return order.gather_in_node(
        [&](int local, auto&& add) { add(order.block_of(order.own_node().rank_in_comm(local))); });
}

Status share_what_the_leader_has(NodeOrder& order) {
    if (order.nodes() == 1) return {};
    return order.gather_in_node([&](int local, auto&& add) {
        if (local == 0) order.add_nodes(1, order.nodes(), add);
    });
}

} // namespace

Status hierarchical(const Exchange& exchange, Context& context) {
    return in_node_order(exchange, context, [&](NodeOrder& order) {
        Status status = order.has_window() ? share_own_blocks(order) : gather_at_leader(context.wire, order);
        if (order.own_node().rank == 0) status.keep(exchange_among_leaders(context.wire, order));
        status.keep(order.has_window() ? share_what_the_leader_has(order)
                                       : broadcast_in_node(context.wire, order));
        return status;
    });
}

} // namespace switchyard::algorithms::allgather
