// How blocks travel between nodes in digits, and who on a node sends and receives them: index arithmetic, no
// MPI.
//
// A block to a node `offset` places up the ring of nodes makes one hop for each digit of the offset in base r
// that is not 0, lowest digit first; the hop for digit z of weight r^x is z * r^x nodes long.
//
// The ranks of a node are in l lanes, local rank i in lane i mod l, and blocks travel in the lane of the rank
// that they are for. All that one node sends with one hop in one lane is one message; of either node one rank
// of that lane is in charge of it. With as many lanes as ranks each rank meets its like on all other nodes, as
// in tuna_coalesced; with one there is but one message from node to node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms::patterns {

class NodeHops {
  public:
    // `largest`: the most ranks of a node. Without a number of lanes, 0, there are as many as give a rank some
    // 16 messages at a time: in simulation as fast as any other number, or nearly so, on 16 and 128 nodes.
    NodeHops(int nodes, int largest, std::int64_t radix, std::int64_t lanes)
        : nodes_(nodes), radix_(std::clamp<std::int64_t>(radix, 2, std::max(nodes, 2))),
          lanes_(static_cast<int>(std::clamp<std::int64_t>(
              lanes == 0 ? messages_at_once * largest / (radix_ - 1) : lanes, 1, largest))) {}

    std::int64_t radix() const { return radix_; }
    int lanes() const { return lanes_; }

    // The lowest digit of the offset that is not 0, from that weight up; 0: none.
    int next_digit(std::int64_t offset, std::int64_t weight) const {
        for (offset /= weight; offset != 0; offset /= radix_)
            if (offset % radix_ != 0) return static_cast<int>(offset % radix_);
        return 0;
    }
    int lane_of(int local_rank) const { return local_rank % lanes_; }
    // How many ranks of a node of `ranks` are in that lane: none, where the node is small.
    int ranks_in(int lane, int ranks) const { return ranks > lane ? (ranks - lane - 1) / lanes_ + 1 : 0; }

    // The local rank in charge of that digit in that lane, on a node of `ranks`. In a lane that the node has no
    // rank in, blocks only pass through, and one rank takes them all.
    int charge_of(int digit, int lane, int ranks) const {
        return ranks > lane ? lane + (digit - 1) % ranks_in(lane, ranks) * lanes_ : lane % ranks;
    }
    // Calls visit(z, lane) for the hops of that weight that local rank `self` of `ranks` is in charge of.
    template <typename Visitor>
    void for_each_charge(std::int64_t weight, int self, int ranks, Visitor&& visit) const {
        const int own = lane_of(self);
        for (std::int64_t z = self / lanes_ + 1; z < radix_ && z * weight < nodes_; z += ranks_in(own, ranks))
            visit(static_cast<int>(z), own);
        for (int lane = self + ranks; lane < lanes_; lane += ranks)
            for (std::int64_t z = 1; z < radix_ && z * weight < nodes_; ++z) visit(static_cast<int>(z), lane);
    }
    // The local rank, of `ranks`, in charge of the most, in number and in what the hops carry: a low digit is in
    // more offsets than a high one, and the first rank of a lane starts with the lowest. Of the lanes the last
    // has the fewest ranks to share; where there are more lanes than ranks, the first rank takes most of the rest.
    int busiest(int ranks) const { return ranks > lanes_ ? lanes_ - 1 : 0; }
    // Calls visit(offset) for the blocks in that hop's messages, by rising offset.
    template <typename Visitor>
    void for_each_offset(std::int64_t weight, int z, Visitor&& visit) const {
        for (std::int64_t begin = z * weight; begin < nodes_; begin += weight * radix_)
            for (std::int64_t offset = begin; offset < std::min<std::int64_t>(begin + weight, nodes_);
                 ++offset)
                visit(static_cast<int>(offset));
    }

    // How many offsets that hop carries; how many of them end with it; how many begin with it.
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
    static constexpr std::int64_t messages_at_once = 16;
    std::int64_t nodes_, radix_;
    int lanes_;
};

} // namespace switchyard::algorithms::patterns
