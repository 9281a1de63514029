// The phase of node_aware after a hop, among the ranks of a lane: blocks that are on their node go to their
// destinations, rows for other nodes go to the ranks in charge of their next hop.
#pragma once

#include "hop_messages.hpp"

namespace switchyard::algorithms::alltoallv {

class HandingOn {
  public:
    HandingOn(const Exchange& exchange, Context& context, const Routes& routes, WaitingRows& waiting)
        : exchange_(exchange), routes_(routes), map_(routes.map()), waiting_(waiting),
          lane_(routes.lane_group(context.workspace.take_array<int>(routes.layout().lane_ranks))),
          bundles_(lane_, routes.layout().arrived_bytes, context) {}

    Status run(std::int64_t weight, const HopMessages& messages) {
        Status status;
        pack(weight, messages);
        if (routes_.own_node().size > routes_.hops().lanes())
            status.keep(bundles_.exchange(routes_.inner(lane_, routes_.layout().arrived_bytes),
                                          [&](int from) { return has_bundle(weight, from); }));
        else
            bundles_.keep_own();
        for (int from = 0; from < lane_.size; ++from) unpack(weight, from, status);
        return status;
    }

  private:
    // The local rank in charge of the hop after the hops of that weight. -1: there is no such hop.
    int next_holder(int offset, int lane, std::int64_t weight) const {
        return routes_.next_holder(offset, lane, weight * routes_.hops().radix());
    }

    void pack(std::int64_t weight, const HopMessages& messages) {
        bundles_.clear();
        messages.for_each_arrived(weight, [&](int z, int lane, std::byte* in, std::size_t) {
            routes_.for_each_row(weight, z, [&](int offset, int source_node, int) {
                const Row row = routes_.row_at(in, (source_node + offset) % map_.nodes(), lane);
                const int holder = next_holder(offset, lane, weight);
                if (holder < 0)
                    hand_out(row);
                else
                    bundles_.append(holder / routes_.hops().lanes(), row.begin, row.bytes);
                in = row.end();
            });
        });
    }
    void hand_out(const Row& row) {
        row.for_each_block([&](std::size_t i, const std::byte* block, std::size_t said) {
            append_block(exchange_, bundles_, static_cast<int>(i), block, said, row.size_bytes);
        });
    }

    void unpack(std::int64_t weight, int from, Status& status) {
        std::byte* in = bundles_.from(from);
        routes_.for_each_charge(weight, routes_.local_rank_of(from), [&](int z, int lane) {
            routes_.for_each_row(weight, z, [&](int offset, int source_node, int source) {
                const int holder = next_holder(offset, lane, weight);
                if (holder < 0 && lane == routes_.lane()) // in other lanes the node has no rank and no block
                    in = deliver_block(exchange_, map_.rank_of(source_node, source), in,
                                       routes_.layout().size_bytes, status);
                else if (holder == routes_.own_node().rank)
                    in = waiting_.keep(routes_.key_of(offset, lane), source,
                                       routes_.row_at(in, (source_node + offset) % map_.nodes(), lane));
            });
        });
    }
    // Whether that rank of the lane sends this rank a bundle after the hops of that weight.
    bool has_bundle(std::int64_t weight, int from) const {
        if (from == lane_.rank) return true;
        bool found = false;
        routes_.for_each_charge(weight, routes_.local_rank_of(from), [&](int z, int lane) {
            routes_.hops().for_each_offset(weight, z, [&](int offset) {
                const int holder = next_holder(offset, lane, weight);
                const std::int64_t travelled = z * weight + offset % weight;
                const int destination_node = routes_.node_up(offset - travelled + map_.nodes());
                const bool is_row = routes_.hops().ranks_in(lane, map_.size_of(destination_node)) > 0;
                found = found || holder < 0 || (holder == routes_.own_node().rank && is_row);
            });
        });
        return found;
    }

    const Exchange& exchange_;
    const Routes& routes_;
    const NodeMap& map_;
    WaitingRows& waiting_;
    const Group lane_; // the ranks of this node in this rank's lane
    Bundles bundles_;
};

} // namespace switchyard::algorithms::alltoallv
