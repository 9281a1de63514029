// Idea: Bruck's exchange between nodes in base Q. In each step every local rank but the first fetches the
//   blocks of another group of nodes, and the node shares the fetched blocks. With two levels a node shares
//   in the same way between its regions.
// Cost: ceil(log_Q N) messages between nodes for each rank, and none for local rank 0. ceil(log_Q N) + 1
//   gatherings inside the node, each of ceil(log2 Q) messages. With R regions of S ranks, a gathering is
//   ceil(log_S R) messages between regions and ceil(log2 S) * (ceil(log_S R) + 1) messages inside a region.
// Needs: memory that the processor can copy; any number of ranks on each node and in
//   each region, wherever they are.
// Departs: the base is at most the ranks of the largest node, or of the node's largest region (2 where all
//   have one rank). It is the smallest base with as few steps, so all steps fetch about the same number of
//   blocks. Local rank l % q of a node or region of q ranks serves digit l. Steps that reach around the ring
//   fetch only the missing blocks, so any number of nodes will do. Ranks gather inside the node whatever they
//   fetched (the paper's Allgatherv). intra=shared gathers through the node's memory, sends no message inside
//   the node, and ignores regions. Blocks may differ in size.
// Source: locality-aware Bruck paper, section 3, algorithm 2, and its last but one paragraph for two levels.
#include "node_order.hpp"

namespace switchyard::algorithms::allgather {

namespace {

class LocalityAwareBruck {
  public:
    // `regions`: the regions of the own node, for two levels of messages. Null: one level, or no messages
    // inside the node.
    LocalityAwareBruck(Wire& wire, NodeOrder& order, const NodeMap* regions)
        : wire_(wire), order_(order), regions_(regions) {}

    Status run() {
        const Ring& nodes = order_.ring();
        return gather(
            nodes, Phase::inter,
            [&](int local, auto&& add) {
                const int rank = nodes.near_ranks()[static_cast<std::size_t>(local)];
                add(order_.block_of(rank));
            },
            [&](int first, int last, auto&& add) { order_.add_nodes(first, last, add); },
            [&](auto&& part_of) { return gather_in_node(part_of); });
    }

  private:
    // One level, in terms of nodes; its messages are that phase. own(local, add) adds the parts that a rank of this node has at first.
    // all(first, last, add) adds the parts of the nodes first <= distance < last up the ring. share(part_of)
    // gathers inside the node the parts that part_of(local, add) adds for each of its ranks.
    template <typename Own, typename All, typename Share>
    Status gather(const Ring& ring, Phase phase, Own&& own, All&& all, Share&& share) {
        Status status = share(own);
        const std::int64_t base = ring.smallest_base();
        for (std::int64_t gathered = 1; gathered < ring.nodes(); gathered *= base) {
            const int group = static_cast<int>(gathered);
            wire_.enter(phase);
            const auto fetched = [&](int digit, auto&& add) {
                all(digit * group, std::min((digit + 1) * group, ring.nodes()), add);
            };
            // The group of nodes `digit * group` places up the ring sends its blocks. The blocks of this
            // node's group go the same distance down the ring.
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

    // Gathers inside the node: between its regions in the same way, and inside a region by dissemination.
    template <typename PartOf>
    Status gather_in_node(PartOf&& part_of) {
        if (regions_ == nullptr) return order_.gather_in_node(part_of);
        const Ring ring(*regions_, order_.own_node().rank);
        const Wire::Within own_node(wire_, order_.own_node());
        return gather(
            ring, Phase::data,
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
    // Calls visit(digit) for the digits that a local rank of this node serves. The digit is a distance in
    // groups of nodes.
    template <typename Visitor>
    static void for_each_digit(const Ring& ring, std::int64_t base, int group, int local, Visitor&& visit) {
        const int ranks = static_cast<int>(ring.near_ranks().size());
        for (std::int64_t digit = local == 0 ? ranks : local; digit < base && digit * group < ring.nodes();
             digit += ranks)
            visit(static_cast<int>(digit));
    }

    Wire& wire_;
    NodeOrder& order_;
    const NodeMap* const regions_;
};

} // namespace

Status locality_aware_bruck(const Exchange& exchange, Context& context) {
    return in_node_order(exchange, context, [&](NodeOrder& order) {
        const bool two_levels = context.parameters[Parameter::levels] > 1 && !order.has_window();
        const NodeMap* regions = two_levels ? exchange.group.region_map : nullptr;
        return LocalityAwareBruck(context.wire, order, regions).run();
    });
}

} // namespace switchyard::algorithms::allgather
