// Idea: Bruck's exchange between nodes in base Q: in each step every local rank but the first fetches what
// another group
//   of nodes has, and the node shares what its ranks fetched.
// Cost: ceil(log_Q N) messages between nodes a rank, and none for local rank 0; ceil(log_Q N) + 1 gatherings
// inside the
//   node of ceil(log2 Q) messages each.
// Needs: blocks of one size, and memory the processor can copy; any number of ranks on each node, wherever
// they are. Departs: the base is the largest node's ranks (2 where every node has one); digit l is served by
// local rank l % q of
//   a node of q ranks. Steps that reach around the ring take only what is missing, so the number of nodes
//   need be no power of the base, and the gatherings inside are of whatever each rank fetched (the paper's
//   Allgatherv). intra=shared: they go through the node's memory, in no message.
// Source: locality-aware Bruck paper, section 3, algorithm 2.
#include "algorithms/allgather/node_order.hpp"

namespace switchyard::algorithms::allgather {

namespace {

class LocalityAwareBruck {
  public:
    LocalityAwareBruck(const Exchange& exchange, Wire& wire, NodeOrder& order)
        : exchange_(exchange), wire_(wire), order_(order), base_(std::max(order.map().largest(), 2)) {}

    Status run() {
        Status status = order_.gather_in_node([&](int local, auto&& add) {
            add(Part{order_.place_of(order_.own_node().rank_in_comm(local)), exchange_.max_block});
        });
        for (std::int64_t gathered = 1; gathered < order_.nodes(); gathered *= base_) {
            const int group = static_cast<int>(gathered);
            status.keep(fetch(group));
            status.keep(order_.gather_in_node([&](int local, auto&& add) {
                for_each_digit(group, local, [&](int digit) { add(fetched_with(digit, group)); });
            }));
        }
        return status;
    }

  private:
    // Calls visit(digit) for those that a local rank of this node serves: `digit` groups of nodes away.
    template <typename Visitor>
    void for_each_digit(int group, int local, Visitor&& visit) const {
        const int ranks = order_.own_node().size;
        for (std::int64_t digit = local == 0 ? ranks : local; digit < base_ && digit * group < order_.nodes();
             digit += ranks)
            visit(static_cast<int>(digit));
    }
    int server_on(int node, int digit) const {
        return order_.map().rank_of(node, digit % order_.map().size_of(node));
    }
    Part fetched_with(int digit, int group) const {
        const int distance = digit * group;
        return order_.of_nodes(distance, std::min(distance + group, order_.nodes()));
    }

    // The group of nodes so far away sends what it has; what this node has goes as far down the ring.
    Status fetch(int group) {
        for_each_digit(group, order_.own_node().rank, [&](int digit) {
            const Part in = fetched_with(digit, group);
            wire_.receive(server_on(order_.node_up(digit * group), digit), in.data, in.bytes);
        });
        for_each_digit(group, order_.own_node().rank, [&](int digit) {
            const Part out = order_.of_nodes(0, std::min(group, order_.nodes() - digit * group));
            wire_.send(server_on(order_.node_down(digit * group), digit), out.data, out.bytes);
        });
        return wire_.wait_all();
    }

    const Exchange& exchange_;
    Wire& wire_;
    NodeOrder& order_;
    const std::int64_t base_;
};

} // namespace

Status locality_aware_bruck(const Exchange& exchange, Context& context) {
    copy_contribution(exchange, exchange.recv_from(exchange.group.rank));
    const auto scratch =
        patterns::node_order_scratch_bytes(exchange.group.size, exchange.max_block, context.parameters);
    if (scratch == 0) return {}; // alone, or nothing to gather
    if (!context.workspace.has(scratch)) return {MPI_ERR_NO_MEM};
    NodeOrder order(exchange, context);
    const Status status = LocalityAwareBruck(exchange, context.wire, order).run();
    order.deliver();
    return status;
}

} // namespace switchyard::algorithms::allgather
