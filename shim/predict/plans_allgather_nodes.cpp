// Algorithms of allgather that know nodes. Regions inside a node do not count, since nobody gives them.
#include "plan_near.hpp"
#include "plans.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace switchyard::shim::predict {

namespace allgather {

namespace {

class NodeGather {
  public:
    NodeGather(const Situation& situation, Sink& sink)
        : situation_(situation), sink_(sink),
          ranks_(std::min(situation.shape.ranks_per_node, situation.shape.ranks)),
          nodes_(situation.shape.nodes), block_(situation.blocks.all().mean) {}

    int ranks() const { return ranks_; }
    int nodes() const { return nodes_; }
    bool shares() const { return shares_memory(situation_); }

    // The own block goes to its place. The ranks of a node are neighbours here, so all blocks are gathered in
    // the receive buffer, and nothing is copied at the end.
    void begin() {
        Round round;
        round.copy_before(1, block_);
        sink_.round(round);
    }

    // All ranks of the node get all ranks' parts. `blocks_of(local rank)`: the number of blocks that the rank
    // has, in `places` places.
    void share(const std::function<double(int)>& blocks_of, int places = 1) {
        if (ranks_ == 1) return;
        if (shares()) return share_by_copies(blocks_of);
        for (int distance = 1; distance < ranks_; distance *= 2) {
            Round round;
            round.spread_to(ranks_);
            const int count = std::min(distance, ranks_ - distance);
            for (int self = 0; self < ranks_; ++self) {
                double out = 0, in = 0;
                for (int i = 0; i < count; ++i) {
                    out += blocks_of((self + i) % ranks_);
                    in += blocks_of((self + distance + i) % ranks_);
                }
                if (out > 0) round.load(self).near_out.add(1, out * block_);
                if (in > 0) round.load(self).near_in.add(1, in * block_);
                // Blocks of adjacent ranks are adjacent if each rank has its blocks in one place.
                if (places > 1) round.load(self).parts = 2 * parts_of(count * places);
            }
            sink_.round(round);
        }
    }

    // All ranks of the node get one block of each rank, while the next blocks come from another node. By
    // messages: around the ring of the node's ranks.
    void share_and_pass_on(bool passes_on) {
        Round round;
        Load& load = round.loads.front();
        if (passes_on) {
            load.far_out.add(1, block_);
            load.far_in.add(1, block_);
        }
        round.overlaps = true;
        if (shares() && ranks_ > 1) {
            load.before.add(1, block_);
            load.after.add(ranks_ - 1, block_);
            load.neighbours = ranks_ - 1;
        }
        sink_.round(round);
        if (shares() || ranks_ == 1) return;
        Round near;
        exchange_near(near, 1, block_);
        near.times = ranks_ - 1;
        sink_.round(near);
    }

    // All blocks of the node at its first rank.
    void gather_at_leader() {
        if (ranks_ == 1) return;
        Round round;
        round.spread_to(ranks_);
        for (int local = 1; local < ranks_; ++local) round.load(local).near_out.add(1, block_);
        round.load(0).near_in.add(ranks_ - 1, block_);
        sink_.round(round);
    }
    // All blocks from the first rank, along a binomial tree.
    void broadcast_in_node() {
        for (int distance = 1; distance < ranks_; distance *= 2) {
            Round round;
            round.spread_to(ranks_);
            for (int local = 0; local < distance && local + distance < ranks_; ++local) {
                round.load(local).near_out.add(1, blocks_of_nodes(nodes_) * block_);
                round.load(local + distance).near_in.add(1, blocks_of_nodes(nodes_) * block_);
            }
            sink_.round(round);
        }
    }
    // Doubling between nodes. `of_a_node`: blocks that a rank sends for each node. `leader_alone`: only the
    // first rank sends, which has all blocks of a node; otherwise all ranks do.
    void double_between_nodes(double of_a_node, bool leader_alone) {
        for (int distance = 1; distance < nodes_; distance *= 2) {
            const int count = std::min(distance, nodes_ - distance);
            Round round;
            round.spread_to(ranks_);
            for (int local = 0; local < (leader_alone ? 1 : ranks_); ++local) {
                far(round, local, count * of_a_node);
                if (!leader_alone) round.load(local).parts = 2 * parts_of(count);
            }
            sink_.round(round);
        }
    }
    // Parts of the datatype of a message in so many places. A message in one place needs none.
    static double parts_of(int places) { return places > 1 ? places : 0; }
    void far(Round& round, int local, double blocks) const {
        round.load(local).far_out.add(1, blocks * block_);
        round.load(local).far_in.add(1, blocks * block_);
    }
    double blocks_of_nodes(int nodes) const { return static_cast<double>(nodes) * ranks_; }
    void take(const Round& round) { sink_.round(round); }

  private:
    void share_by_copies(const std::function<double(int)>& blocks_of) {
        double most = 0, all = 0;
        for (int local = 0; local < ranks_; ++local) {
            most = std::max(most, blocks_of(local));
            all += blocks_of(local);
        }
        plan_epoch(situation_.shape, {1, most * block_}, {static_cast<double>(ranks_ - 1), all * block_},
                   sink_);
    }

    const Situation& situation_;
    Sink& sink_;
    const int ranks_, nodes_;
    const double block_;
};

// The smallest base in which node numbers have as few digits as in the base of the ranks of a node.
std::int64_t base_for(int nodes, int ranks) {
    const auto digits = [nodes](std::int64_t base) {
        int count = 0;
        for (std::int64_t weight = 1; weight < nodes; weight *= base) ++count;
        return count;
    };
    const std::int64_t largest = std::max(ranks, 2);
    std::int64_t base = 2;
    while (base < largest && digits(base) > digits(largest)) ++base;
    return base;
}

} // namespace

void hierarchical(const Situation& situation, Sink& sink) {
    NodeGather gather(situation, sink);
    gather.begin();
    if (gather.shares())
        gather.share([](int) { return 1.0; });
    else
        gather.gather_at_leader();
    gather.double_between_nodes(gather.ranks(), true);
    if (!gather.shares())
        gather.broadcast_in_node();
    else if (gather.nodes() > 1)
        gather.share([&](int local) { return local == 0 ? gather.blocks_of_nodes(gather.nodes() - 1) : 0; });
}

void multi_lane(const Situation& situation, Sink& sink) {
    NodeGather gather(situation, sink);
    gather.begin();
    gather.double_between_nodes(1, false);
    gather.share([&](int) { return static_cast<double>(gather.nodes()); }, gather.nodes());
}

void multi_lane_ring(const Situation& situation, Sink& sink) {
    NodeGather gather(situation, sink);
    gather.begin();
    for (int node = 0; node < gather.nodes(); ++node) gather.share_and_pass_on(node + 1 < gather.nodes());
}

void locality_aware_bruck(const Situation& situation, Sink& sink) {
    NodeGather gather(situation, sink);
    gather.begin();
    gather.share([](int) { return 1.0; });
    const std::int64_t base = base_for(gather.nodes(), gather.ranks());
    for (std::int64_t group = 1; group < gather.nodes(); group *= base) {
        std::vector<double> fetched(static_cast<std::size_t>(gather.ranks()));
        Round round;
        round.spread_to(gather.ranks());
        for (std::int64_t digit = 1; digit < base && digit * group < gather.nodes(); ++digit) {
            const auto local = static_cast<int>(digit % gather.ranks());
            const auto nodes = static_cast<int>(std::min(group, gather.nodes() - digit * group));
            gather.far(round, local, gather.blocks_of_nodes(nodes));
            fetched[static_cast<std::size_t>(local)] += gather.blocks_of_nodes(nodes);
        }
        gather.take(round);
        gather.share([&](int local) { return fetched[static_cast<std::size_t>(local)]; });
    }
}

} // namespace allgather

} // namespace switchyard::shim::predict
