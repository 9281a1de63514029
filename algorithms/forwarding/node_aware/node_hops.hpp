// The hops of blocks between nodes, and the ranks of a node that send and receive them.
// Index arithmetic, no MPI.
//
// A block to a node `offset` places up the ring of nodes makes one hop for each digit of the offset in base r
// that is not 0, lowest digit first. The hop for digit z of weight r^x is z * r^x nodes long.
//
// The ranks of a node are in l lanes: local rank i is in lane i mod l. A block travels in the lane of its
// destination. A node sends one message for each hop and lane. On both nodes one rank of the lane is in
// charge of the message. With as many lanes as ranks, equal local ranks exchange, as in tuna_coalesced. With
// one lane there is one message from node to node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms::forwarding {

class NodeHops {
  public:
    // `largest`: the number of ranks of the largest node. `lanes` 0: likely_lanes().
    NodeHops(int nodes, int largest, std::int64_t radix, std::int64_t lanes)
        : nodes_(nodes), radix_(std::clamp<std::int64_t>(radix, 2, std::max(nodes, 2))),
          lanes_(static_cast<int>(
              std::clamp<std::int64_t>(lanes == 0 ? likely_lanes(largest) : lanes, 1, largest))) {}

    std::int64_t radix() const { return radix_; }
    int lanes() const { return lanes_; }

    // The lowest digit of the offset, from that weight up, that is not 0. 0: all these digits are 0.
    int next_digit(std::int64_t offset, std::int64_t weight) const {
        for (offset /= weight; offset != 0; offset /= radix_)
            if (offset % radix_ != 0) return static_cast<int>(offset % radix_);
        return 0;
    }
    int lane_of(int local_rank) const { return local_rank % lanes_; }
    // The number of ranks in that lane, on a node of `ranks` ranks. A small node may have none.
    int ranks_in(int lane, int ranks) const { return ranks > lane ? (ranks - lane - 1) / lanes_ + 1 : 0; }

    // The local rank in charge of that digit in that lane, on a node of `ranks` ranks. Where the node has no
    // rank in the lane, blocks only pass through, and one rank takes them all.
    int charge_of(int digit, int lane, int ranks) const {
        return ranks > lane ? lane + (digit - 1) % ranks_in(lane, ranks) * lanes_ : lane % ranks;
    }
    // Calls visit(z, lane) for the hops of that weight in the charge of local rank `self`, on
    // a node of `ranks` ranks.
    template <typename Visitor>
    void for_each_charge(std::int64_t weight, int self, int ranks, Visitor&& visit) const {
        const int own = lane_of(self);
        for (std::int64_t z = self / lanes_ + 1; z < radix_ && z * weight < nodes_; z += ranks_in(own, ranks))
            visit(static_cast<int>(z), own);
        for (int lane = self + ranks; lane < lanes_; lane += ranks)
            for (std::int64_t z = 1; z < radix_ && z * weight < nodes_; ++z) visit(static_cast<int>(z), lane);
    }
    // The local rank, on a node of `ranks` ranks, with the most hops and the most offsets in its charge. A
    // low digit is in more offsets than a high digit, and the first rank of a lane starts with the lowest
    // digit. The last lane has the fewest ranks. With more lanes than ranks, the first rank takes the most of
    // the lanes that have no rank.
    int busiest(int ranks) const { return ranks > lanes_ ? lanes_ - 1 : 0; }
    // Calls visit(offset) for the offsets that the hop carries, by rising offset.
    template <typename Visitor>
    void for_each_offset(std::int64_t weight, int z, Visitor&& visit) const {
        for (std::int64_t begin = z * weight; begin < nodes_; begin += weight * radix_)
            for (std::int64_t offset = begin; offset < std::min<std::int64_t>(begin + weight, nodes_);
                 ++offset)
                visit(static_cast<int>(offset));
    }

    // The number of offsets that the hop carries, and how many of them end or begin with it.
    std::int64_t offsets(std::int64_t weight, int z) const {
        const std::int64_t period = weight * radix_;
        return nodes_ / period * weight + std::clamp<std::int64_t>(nodes_ % period - z * weight, 0, weight);
    }
    std::int64_t last_hops(std::int64_t weight, int z) const {
        return std::clamp<std::int64_t>(nodes_ - z * weight, 0, weight);
    }
    std::int64_t first_hops(std::int64_t weight, int z) const {
        const std::int64_t period = weight * radix_;
        return (nodes_ - z * weight + period - 1) / period;
    }

  private:
    // With as many lanes as ranks no block is handed on. In simulations of 16 to 64 nodes of 32 ranks this
    // saved more than the messages cost; with 128 nodes of 8 ranks it did not, since there each rank has few
    // blocks to hand on. Otherwise about 16 messages at a time for each rank.
    std::int64_t likely_lanes(int largest) const {
        constexpr std::int64_t messages_at_once = 16, blocks_worth_a_message = 32;
        const std::int64_t blocks = static_cast<std::int64_t>(nodes_) * largest;
        return radix_ - 1 <= messages_at_once + blocks / blocks_worth_a_message
                   ? largest
                   : messages_at_once * largest / (radix_ - 1);
    }

    std::int64_t nodes_, radix_;
    int lanes_;
};

} // namespace switchyard::algorithms::forwarding
