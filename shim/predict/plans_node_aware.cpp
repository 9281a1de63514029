// node_aware: hops between nodes, and exchanges of bundles among the ranks of a node before and after them.
#include "plan_near.hpp"
#include "plans.hpp"

#include "algorithms/forwarding/node_aware/node_hops.hpp"
#include "algorithms/forwarding/node_aware_scratch.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace switchyard::shim::predict {

using algorithms::Parameter;
using namespace algorithms::forwarding;

namespace {

// Values by source and destination, which are places in a group.
class Matrix {
  public:
    explicit Matrix(int ranks)
        : ranks_(ranks), values_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks)) {}
    double& at(int source, int destination) {
        return values_[static_cast<std::size_t>(source) * static_cast<std::size_t>(ranks_) +
                       static_cast<std::size_t>(destination)];
    }

  private:
    int ranks_;
    std::vector<double> values_;
};

class NodeAwarePlan {
  public:
    NodeAwarePlan(const Situation& situation, Sink& sink)
        : situation_(situation), sink_(sink), facts_(forwarded_blocks(situation)),
          ranks_(std::min(situation.shape.ranks_per_node, situation.shape.ranks)),
          nodes_(situation.shape.nodes), hops_(nodes_, ranks_, situation.parameters[Parameter::radix],
                                               situation.parameters[Parameter::lanes]),
          layout_(NodeAwareShape({ranks_, nodes_, ranks_}, situation.parameters), framed_block(situation)),
          unit_(static_cast<double>(layout_.size_bytes) + facts_.mean) {}

    void run() {
        copy(1, facts_.mean);
        if (facts_.largest == 0) return;
        first_exchange();
        for (std::int64_t weight = 1; weight < nodes_; weight = hops_.next_weight(weight)) hop(weight);
    }

  private:
    bool hands_on() const { return ranks_ > hops_.lanes(); }
    bool ends_exchange(std::int64_t weight) const {
        return hops_.next_weight(weight) >= nodes_ && !hands_on();
    }
    std::int64_t count_of_hops() const {
        std::int64_t count = 0;
        for (std::int64_t weight = 1; weight < nodes_; weight = hops_.next_weight(weight)) ++count;
        return count;
    }
    void copy(double count, double bytes) {
        Round round;
        round.copy_before(count, bytes);
        sink_.round(round);
    }

    // ---- The first exchange, inside the node ----

    // Blocks for other nodes that a rank gives to each local rank.
    std::vector<double> rows_for_each() const {
        std::vector<double> blocks(static_cast<std::size_t>(ranks_));
        for (int offset = 1; offset < nodes_; ++offset) {
            const int digit = hops_.next_digit(offset, 1);
            for (int lane = 0; lane < hops_.lanes(); ++lane)
                blocks[static_cast<std::size_t>(hops_.charge_of(digit, lane, ranks_))] +=
                    hops_.ranks_in(lane, ranks_);
        }
        return blocks;
    }

    void first_exchange() {
        const auto rows = rows_for_each();
        const double blocks = static_cast<double>(nodes_) * ranks_ - 1;
        const auto bytes = [&](int, int destination) {
            return (1 + rows[static_cast<std::size_t>(destination)]) * unit_;
        };
        if (shares_memory(situation_)) {
            const bool is_shown = (count_of_hops() < 2 || !hands_on()) && blocks * unit_ <= most_shown_bytes;
            plan_epoch(situation_.shape, {blocks, blocks * facts_.mean}, {}, sink_);
            if (!is_shown) plan_near_copies(situation_.shape, ranks_ - 1, blocks * unit_, sink_);
        } else {
            copy(blocks, facts_.mean);
            exchange_near(1, layout_.first_bytes, [&](int) { return BundleBytes(bytes); });
        }
        copy(ranks_ - 1, facts_.mean);
    }

    // Among the ranks of `groups` groups of the node.
    void exchange_near(int groups, std::size_t most, const std::function<BundleBytes(int)>& bytes) {
        const int largest = (ranks_ + groups - 1) / groups;
        const auto inner = node_aware_inner_parameters(largest, node_aware_inner(most, situation_.parameters),
                                                       situation_.parameters);
        plan_near_exchange({ranks_, groups, inner[Parameter::radix], most, bytes}, sink_);
    }

    // ---- Hops between nodes ----

    // The rows of a hop in a lane: one for each rank of each source node.
    double rows(std::int64_t weight, int z) const {
        return static_cast<double>(hops_.offsets(weight, z)) * ranks_;
    }
    double row_blocks(int lane) const { return hops_.ranks_in(lane, ranks_); }

    void hop(std::int64_t weight) {
        const bool ends = ends_exchange(weight);
        // Where a message ends the exchange, its receiver knows the sizes of its blocks.
        const double block = ends && !sends_directly(situation_.parameters) ? facts_.mean : unit_;
        Round round;
        round.early = ends;
        round.spread_to(ranks_);
        for (int self = 0; self < ranks_; ++self)
            hops_.for_each_charge(weight, self, ranks_, [&](int z, int lane) {
                Load& load = round.load(self);
                const double blocks = rows(weight, z) * row_blocks(lane);
                load.before.add(rows(weight, z), row_blocks(lane) * block);
                load.far_out.add(1, blocks * block);
                load.far_in.add(1, blocks * block);
                add_arrival(load, weight, z, lane, ends);
            });
        sink_.round(round);
        if (!ends) hand_on(weight);
    }

    // Blocks that are at home are copied one by one, other blocks row by row.
    void add_arrival(Load& load, std::int64_t weight, int z, int lane, bool ends) const {
        if (ends) return load.after.add(rows(weight, z) * row_blocks(lane), facts_.mean);
        const double home = static_cast<double>(hops_.last_hops(weight, z)) * ranks_;
        load.after.add(home * row_blocks(lane), unit_);
        load.after.add(rows(weight, z) - home, row_blocks(lane) * unit_);
    }

    // ---- After a hop, among the ranks of a lane ----

    // The blocks that a rank of a lane got with the hops of that weight and gives to
    // another rank of the lane.
    Matrix arrived(std::int64_t weight, int lane) const {
        Matrix blocks(hops_.ranks_in(lane, ranks_));
        const auto place = [&](int local) { return local / hops_.lanes(); };
        for (int offset = 1; offset < nodes_; ++offset) {
            const int z = hops_.digit_of(offset, weight);
            if (z == 0) continue;
            const int source = place(hops_.charge_of(z, lane, ranks_));
            const int next = hops_.next_digit(offset, hops_.next_weight(weight));
            if (next > 0)
                blocks.at(source, place(hops_.charge_of(next, lane, ranks_))) += ranks_ * row_blocks(lane);
            else
                for (int to = 0; to < hops_.ranks_in(lane, ranks_); ++to) blocks.at(source, to) += ranks_;
        }
        return blocks;
    }

    void hand_on(std::int64_t weight) {
        std::vector<Matrix> by_lane;
        for (int lane = 0; lane < hops_.lanes(); ++lane) by_lane.push_back(arrived(weight, lane));
        if (hands_on() && shares_memory(situation_)) {
            const double moved = busiest(by_lane) * unit_;
            plan_near_copies(situation_.shape, hops_.ranks_in(0, ranks_) - 1, moved, sink_);
        } else if (hands_on()) {
            exchange_near(hops_.lanes(), layout_.arrived_bytes, [&](int lane) {
                return BundleBytes([&by_lane, lane, this](int source, int destination) {
                    return by_lane[static_cast<std::size_t>(lane)].at(source, destination) * unit_;
                });
            });
        }
        deliver(by_lane);
    }
    // The most blocks that a rank gives to other ranks of its lane.
    double busiest(std::vector<Matrix>& by_lane) const {
        double most = 0;
        for (int lane = 0; lane < hops_.lanes(); ++lane)
            for (int source = 0; source < hops_.ranks_in(lane, ranks_); ++source) {
                double blocks = 0;
                for (int to = 0; to < hops_.ranks_in(lane, ranks_); ++to)
                    if (to != source) blocks += by_lane[static_cast<std::size_t>(lane)].at(source, to);
                most = std::max(most, blocks);
            }
        return most;
    }
    // Blocks that were handed on are copied to where they belong or wait.
    void deliver(std::vector<Matrix>& by_lane) {
        Round round;
        round.spread_to(ranks_);
        for (int local = 0; local < ranks_; ++local) {
            const int lane = hops_.lane_of(local), place = local / hops_.lanes();
            for (int from = 0; from < hops_.ranks_in(lane, ranks_); ++from)
                round.load(local).before.add(by_lane[static_cast<std::size_t>(lane)].at(from, place),
                                             facts_.mean);
        }
        sink_.round(round);
    }

    const Situation& situation_;
    Sink& sink_;
    const BlockFacts facts_;
    const int ranks_, nodes_;
    const NodeHops hops_;
    const NodeAwareLayout layout_;
    const double unit_; // a block with its size, if messages say it
};

} // namespace

namespace alltoallv {

void node_aware(const Situation& situation, Sink& sink) {
    NodeAwarePlan(situation, sink).run();
    plan_direct_blocks(situation, sink);
}

} // namespace alltoallv

namespace alltoall {

void node_aware(const Situation& situation, Sink& sink) {
    NodeAwarePlan(situation, sink).run();
}

} // namespace alltoall

} // namespace switchyard::shim::predict
