// What each phase of node_aware does with each row, computed once.
//
// A row is all blocks of one source for the ranks of one lane of one node, each behind its size. A row that
// waits at this rank for its next hop has a place.
#pragma once

#include "algorithms/forwarding/node_aware_scratch.hpp"
#include "algorithms/forwarding/tuna/inner_tuna.hpp"
#include "algorithms/schedule.hpp"
#include "routes.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

namespace switchyard::algorithms::forwarding {

// A row that comes to wait here: its blocks, and its place. In the first exchange each rank of the node sends
// such a row, and the ranks' places follow each other.
struct WaitingRow {
    int blocks;
    std::size_t place;
};

// A row that arrives with a hop and is handed on: its blocks, and the rank of the lane that gets it.
// `to_each`: the row is on its node, and each rank of the lane gets one block.
struct ArrivedRow {
    static constexpr int to_each = -1;
    int blocks, to;
};

// A hop in the charge of this rank: a message to a rank of another node, and a message from such a rank.
struct Charge {
    int digit; // of the hop
    int destination, source;
    std::size_t blocks_out = 0, blocks_in = 0; // of these messages
    std::vector<std::size_t> outgoing;         // places of the rows
    std::vector<ArrivedRow> arrived;           // where the hop does not end the exchange
    std::vector<int> arrived_blocks;           // where it does: the source of each block
};

// From a rank of the lane, after a hop: a block for this rank, or a row that waits here.
struct HandedOn {
    int block_of = -1; // the source of the block; -1: it is a row
    WaitingRow row{};
};

// The hops of one weight, and the exchange among the ranks of a lane after them.
struct Hop {
    bool ends_exchange;
    int end_of_digits;                            // 1 <= digit < end_of_digits; alike on all ranks
    std::vector<Charge> charges;                  // by rising digits
    std::vector<std::vector<HandedOn>> handed_on; // by rank of the lane
    std::vector<char> has_bundle;                 // likewise: whether that rank sends this rank something
};

class NodeAwareSchedule : public Schedule {
  public:
    NodeAwareSchedule(const Group& group, const Parameters& parameters);

    const Group& own_node() const { return own_node_; }
    const Group& lane() const { return lane_; }
    // Whether the ranks of some lane exchange bundles. Then all ranks of the node take part,
    // since they share a window.
    bool hands_on() const { return own_node_.size > routes_.hops().lanes(); }
    const NodeAwareShape& shape() const { return shape_; }
    // Whether rows of the first exchange leave before the ranks of the node share memory again.
    bool rows_stay_in_epoch() const { return hops_.size() < 2 || !hands_on(); }

    // The blocks that this rank has for a local rank in the first exchange: for that rank itself, then rows.
    std::span<const int> first_destinations(int local_rank) const {
        return first_destinations_[static_cast<std::size_t>(local_rank)];
    }
    // The rows that come to wait here in the first exchange, from each rank of the node.
    std::span<const WaitingRow> first_rows() const { return first_rows_; }
    std::span<const Hop> hops() const { return hops_; }
    // The most messages of one digit of a hop that any rank of any node sends.
    int most_of_digit() const { return routes_.hops().lanes_of_one(routes_.map().smallest()); }

    // The exchange of bundles inside the node, and inside the lane.
    const InnerTuna& in_node(std::size_t bundle_bytes) const {
        return *in_node_[node_aware_inner(bundle_bytes, parameters_)];
    }
    const InnerTuna& in_lane(std::size_t bundle_bytes) const {
        return *in_lane_[node_aware_inner(bundle_bytes, parameters_)];
    }
    std::size_t scratch_bytes(const NodeAwareLayout& layout) const {
        return node_aware_scratch_of(
            own_node_.size, shape_, layout,
            std::max(in_node(layout.first_bytes).scratch_bytes(layout.first_bytes),
                     in_lane(layout.arrived_bytes).scratch_bytes(layout.arrived_bytes)));
    }

  private:
    using Inner = std::array<std::unique_ptr<InnerTuna>, inner_radices>;
    Inner inner_of(const Group& group) const;
    void plan_first_exchange();
    Hop plan_hop(std::int64_t weight);
    Charge plan_charge(std::int64_t weight, int z, int lane);
    void plan_handing_on(std::int64_t weight, Hop& hop);
    std::size_t place_of(int offset, int lane);

    const Parameters parameters_;
    const Routes routes_;
    const Group own_node_;
    const std::vector<int> lane_members_;
    const Group lane_;
    const NodeAwareShape shape_;
    const Inner in_node_, in_lane_;
    std::vector<int> slots_; // by key; -1: no row of it came here so far
    int slots_used_ = 0;
    std::vector<std::vector<int>> first_destinations_; // by local rank
    std::vector<WaitingRow> first_rows_;
    std::vector<Hop> hops_;
};

inline std::vector<int> members_of_lane(const Routes& routes) {
    std::vector<int> members;
    for (int i = 0; i < routes.lane_ranks(); ++i)
        members.push_back(routes.own_node().rank_in_comm(routes.local_rank_of(i)));
    return members;
}

inline NodeAwareSchedule::NodeAwareSchedule(const Group& group, const Parameters& parameters)
    : parameters_(parameters), routes_(group, parameters), own_node_(routes_.own_node()),
      lane_members_(members_of_lane(routes_)),
      lane_(own_node_.part(routes_.rank_in_lane(), routes_.lane_ranks(), lane_members_.data())),
      shape_({own_node_.size, routes_.map().nodes(), routes_.map().largest()}, parameters),
      in_node_(inner_of(own_node_)), in_lane_(inner_of(lane_)),
      slots_(static_cast<std::size_t>(routes_.map().nodes() * routes_.hops().lanes()), -1) {
    plan_first_exchange();
    for (std::int64_t weight = 1; weight < routes_.map().nodes(); weight = routes_.hops().next_weight(weight))
        hops_.push_back(plan_hop(weight));
}

inline NodeAwareSchedule::Inner NodeAwareSchedule::inner_of(const Group& group) const {
    Inner inner;
    for (std::size_t number = 0; number < inner_radices; ++number)
        inner[number] = std::make_unique<InnerTuna>(
            group.size, group.rank, node_aware_inner_parameters(group.size, number, parameters_));
    return inner;
}

// The place of local rank 0's row. A key that comes for a second time waits where it waited before.
inline std::size_t NodeAwareSchedule::place_of(int offset, int lane) {
    const int key = offset * routes_.hops().lanes() + lane;
    int& slot = slots_[static_cast<std::size_t>(key)];
    if (slot < 0) slot = slots_used_++;
    return static_cast<std::size_t>(slot) * shape_.rows;
}

inline void NodeAwareSchedule::plan_first_exchange() {
    first_destinations_.resize(static_cast<std::size_t>(own_node_.size));
    for (int local = 0; local < own_node_.size; ++local)
        if (local != own_node_.rank)
            first_destinations_[static_cast<std::size_t>(local)].push_back(own_node_.rank_in_comm(local));
    routes_.for_each_key([&](int offset, int lane) {
        const int to = routes_.next_holder(offset, lane, 1), node = routes_.node_up(offset);
        const int blocks = routes_.row_blocks(node, lane);
        for (int i = 0; i < blocks; ++i)
            first_destinations_[static_cast<std::size_t>(to)].push_back(
                routes_.map().rank_of(node, lane + i * routes_.hops().lanes()));
        if (to == own_node_.rank) first_rows_.push_back({blocks, place_of(offset, lane)});
    });
}

inline Hop NodeAwareSchedule::plan_hop(std::int64_t weight) {
    Hop hop{
        routes_.ends_exchange(weight), static_cast<int>(routes_.hops().end_of_digits(weight)), {}, {}, {}};
    routes_.for_each_charge(weight, own_node_.rank,
                            [&](int z, int lane) { hop.charges.push_back(plan_charge(weight, z, lane)); });
    if (!hop.ends_exchange) plan_handing_on(weight, hop);
    return hop;
}

inline Charge NodeAwareSchedule::plan_charge(std::int64_t weight, int z, int lane) {
    const NodeMap& map = routes_.map();
    const int to_node = routes_.node_up(z * weight), from_node = routes_.node_down(z * weight);
    Charge charge{
        z, routes_.rank_in_charge(to_node, z, lane), routes_.rank_in_charge(from_node, z, lane), 0, 0, {}, {},
        {}};
    routes_.for_each_arriving(to_node, weight, z, lane, [&](int offset, int source_node, int blocks) {
        charge.blocks_out += static_cast<std::size_t>(map.size_of(source_node) * blocks);
        for (int source = 0; source < map.size_of(source_node); ++source)
            charge.outgoing.push_back(place_of(offset, lane) + static_cast<std::size_t>(source));
    });
    const bool ends = routes_.ends_exchange(weight);
    routes_.for_each_arriving(routes_.node(), weight, z, lane, [&](int offset, int source_node, int blocks) {
        charge.blocks_in += static_cast<std::size_t>(map.size_of(source_node) * blocks);
        const int holder = routes_.next_holder(offset, lane, routes_.hops().next_weight(weight));
        const int to = holder < 0 ? ArrivedRow::to_each : routes_.lane_rank_of(holder);
        for (const int source : map.ranks_of(source_node))
            if (ends)
                charge.arrived_blocks.push_back(source);
            else
                charge.arrived.push_back({blocks, to});
    });
    return charge;
}

inline void NodeAwareSchedule::plan_handing_on(std::int64_t weight, Hop& hop) {
    const NodeMap& map = routes_.map();
    for (int from = 0; from < lane_.size; ++from) {
        std::vector<HandedOn> all;
        routes_.for_each_charge(weight, routes_.local_rank_of(from), [&](int z, int lane) {
            routes_.for_each_arriving(
                routes_.node(), weight, z, lane, [&](int offset, int source_node, int blocks) {
                    const int holder = routes_.next_holder(offset, lane, routes_.hops().next_weight(weight));
                    for (int i = 0; i < map.size_of(source_node); ++i)
                        if (holder < 0)
                            all.push_back({map.rank_of(source_node, i), {}});
                        else if (holder == own_node_.rank)
                            all.push_back(
                                {-1, {blocks, place_of(offset, lane) + static_cast<std::size_t>(i)}});
                });
        });
        hop.has_bundle.push_back(from == lane_.rank || !all.empty() ? 1 : 0);
        hop.handed_on.push_back(std::move(all));
    }
}

} // namespace switchyard::algorithms::forwarding
