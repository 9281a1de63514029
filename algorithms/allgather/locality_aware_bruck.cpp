// Idea: Bruck's exchange between nodes in base Q: in each step every local rank but the first fetches what
//   another group of nodes has, and the node shares what its ranks fetched. With two levels the node does the
//   same between its regions whenever it shares.
// Cost: ceil(log_Q N) messages between nodes a rank, and none for local rank 0; ceil(log_Q N) + 1 gatherings
//   inside the node of ceil(log2 Q) messages each; or, with R regions of S ranks in it, of ceil(log_S R)
//   messages between regions and ceil(log2 S) * (ceil(log_S R) + 1) inside a region.
// Needs: blocks of one size, and memory the processor can copy; any number of ranks on each node and in each
//   region, wherever they are.
// Departs: the base is at most the ranks of the largest node, or of the node's largest region (2 where every
//   one has one rank), and no larger than needed for as few steps, so that all steps fetch about as much;
//   digit l is served by local rank l % q of a node or region of q ranks. Steps that reach around the ring
//   take only what is missing, so the number of nodes need be no power of the base, and the gatherings inside
//   are of whatever each rank fetched (the paper's Allgatherv). intra=shared: they go through the node's
//   memory, in no message, and regions make no difference.
// Source: locality-aware Bruck paper, section 3, algorithm 2, and its last but one paragraph for two levels.
#include "node_order.hpp"

namespace switchyard::algorithms::allgather {

namespace {

class LocalityAwareBruck {
  public:
    // `regions`: of the own node, for two levels of messages; null: one level, or no messages inside the node.
    LocalityAwareBruck(const Exchange& exchange, Wire& wire, NodeOrder& order, const NodeMap* regions)
        : exchange_(exchange), wire_(wire), order_(order), regions_(regions) {}

    Status run() {
        const Ring& nodes = order_.ring();
        return gather(
            nodes,
            [&](int local, auto&& add) {
                const int rank = nodes.near_ranks()[static_cast<std::size_t>(local)];
                add(Part{order_.place_of(rank), exchange_.max_block});
            },
            [&](int first, int last, auto&& add) { add(order_.of_nodes(first, last)); },
            [&](auto&& part_of) { return gather_in_node(part_of); });
    }

  private:
    // One level, written for nodes. own(local, add): what a rank of this node has to begin with; all(first,
    // last, add): what the nodes first <= distance < last up the ring have; share(part_of): gathers inside
    // the node what part_of(local, add) says of its ranks.
    template <typename Own, typename All, typename Share>
    Status gather(const Ring& ring, Own&& own, All&& all, Share&& share) {
        Status status = share(own);
        const std::int64_t base = ring.smallest_base();
        for (std::int64_t gathered = 1; gathered < ring.nodes(); gathered *= base) {
            const int group = static_cast<int>(gathered);
            const auto fetched = [&](int digit, auto&& add) {
                all(digit * group, std::min((digit + 1) * group, ring.nodes()), add);
            };
            // The group of nodes so far away sends what it has; what this one has goes as far down the ring.
            for_each_digit(ring, base, group, ring.self, [&](int digit) {
                wire_.receive_parts(server_on(ring, ring.up(digit * group), digit),
                                    order_.list([&](auto&& add) { fetched(digit, add); }));
            });
            for_each_digit(ring, base, group, ring.self, [&](int digit) {
                const int missing = std::min(group, ring.nodes() - digit * group);
                wire_.send_parts(server_on(ring, ring.down(digit * group), digit),
                                 order_.list([&](auto&& add) { all(0, missing, add); }));
            });
            status.keep(wire_.wait_all());
            status.keep(share([&](int local, auto&& add) {
                for_each_digit(ring, base, group, local, [&](int digit) { fetched(digit, add); });
            }));
        }
        return status;
    }

    // Between the regions of the node in the same way, and inside a region by dissemination.
    template <typename PartOf>
    Status gather_in_node(PartOf&& part_of) {
        if (regions_ == nullptr) return order_.gather_in_node(part_of);
        const Ring ring(*regions_, order_.own_node().rank);
        const Wire::Within own_node(wire_, order_.own_node());
        return gather(
            ring,
            [&](int local, auto&& add) { part_of(ring.near_ranks()[static_cast<std::size_t>(local)], add); },
            [&](int first, int last, auto&& add) {
                for (int distance = first; distance < last; ++distance)
                    for (const int local : ring.map.ranks_of(ring.up(distance))) part_of(local, add);
            },
            [&](auto&& part_of_near) { return order_.gather_near(ring, part_of_near); });
    }

    static int server_on(const Ring& ring, int node, int digit) {
        return ring.map.rank_of(node, digit % ring.map.size_of(node));
    }
    // Calls visit(digit) for those that a local rank of this node serves: `digit` groups of nodes away.
    template <typename Visitor>
    static void for_each_digit(const Ring& ring, std::int64_t base, int group, int local, Visitor&& visit) {
        const int ranks = static_cast<int>(ring.near_ranks().size());
        for (std::int64_t digit = local == 0 ? ranks : local; digit < base && digit * group < ring.nodes();
             digit += ranks)
            visit(static_cast<int>(digit));
    }

    const Exchange& exchange_;
    Wire& wire_;
    NodeOrder& order_;
    const NodeMap* const regions_;
};

} // namespace

Status locality_aware_bruck(const Exchange& exchange, Context& context) {
    return in_node_order(exchange, context, [&](NodeOrder& order) {
        const bool two_levels = context.parameters[Parameter::levels] > 1 && !order.has_window();
        const NodeMap* regions = two_levels ? exchange.group.region_map : nullptr;
        return LocalityAwareBruck(exchange, context.wire, order, regions).run();
    });
}

} // namespace switchyard::algorithms::allgather
