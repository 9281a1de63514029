// The hops of blocks between nodes, and the ranks of a node that send and receive them.
// Index arithmetic, no MPI.
//
// A block to a node `offset` places up the ring of nodes makes one hop for each digit of the offset in base r
// that is not 0, lowest digit first. The hop for digit z of weight r^x is z * r^x nodes long. Each digit may
// have a radix of its own. Then its weight is the product of the lower digits' radices.
//
// The ranks of a node are in l lanes: local rank i is in lane i mod l. A block travels in the lane of its
// destination. A node sends one message for each hop and lane. On both nodes one rank of the lane is in
// charge of the message. With as many lanes as ranks, equal local ranks exchange, as in tuna_coalesced. With
// one lane there is one message from node to node.
#pragma once

#include "algorithms/patterns/radices.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms::forwarding {

class NodeHops {
  public:
    // `largest`: the number of ranks of the largest node. `lanes` 0: likely_lanes().
    NodeHops(int nodes, int largest, patterns::Radices radices, std::int64_t lanes)
        : nodes_(nodes), radices_(radices), radix_(largest_of(radices, nodes)),
          lanes_(static_cast<int>(
              std::clamp<std::int64_t>(lanes == 0 ? likely_lanes(largest) : lanes, 1, largest))) {}

    // Of the digit of that weight.
    std::int64_t radix(std::int64_t weight) const {
        if (!radices_.is_list()) return radix_;
        std::size_t digit = 0;
        for (std::int64_t below = 1; below < weight; ++digit) below *= radices_.at(digit);
        return radices_.at(digit);
    }
    std::int64_t next_weight(std::int64_t weight) const { return weight * radix(weight); }
    // The hops of that weight have the digits from 1 to before this number.
    std::int64_t end_of_digits(std::int64_t weight) const {
        return std::min(radix(weight), (nodes_ + weight - 1) / weight);
    }
    int lanes() const { return lanes_; }

    // The lowest digit of the offset, from that weight up, that is not 0. 0: all these digits are 0.
    int next_digit(std::int64_t offset, std::int64_t weight) const {
        for (; weight <= offset; weight = next_weight(weight))
            if (const auto digit = digit_of(offset, weight); digit != 0) return digit;
        return 0;
    }
    int digit_of(std::int64_t offset, std::int64_t weight) const {
        return static_cast<int>(offset / weight % radix(weight));
    }
    int lane_of(int local_rank) const { return local_rank % lanes_; }
    // The number of ranks in that lane, on a node of `ranks` ranks. A small node may have none.
    int ranks_in(int lane, int ranks) const { return ranks > lane ? (ranks - lane - 1) / lanes_ + 1 : 0; }

    // The local rank in charge of that digit in that lane, on a node of `ranks` ranks. Where the node has no
    // rank in the lane, blocks only pass through, and one rank takes them all.
    int charge_of(int digit, int lane, int ranks) const {
        return ranks > lane ? lane + (digit - 1) % ranks_in(lane, ranks) * lanes_ : lane % ranks;
    }
    // The most lanes that one rank serves, on a node of `ranks` ranks.
    int lanes_of_one(int ranks) const { return (lanes_ - 1) / ranks + 1; }
    // Calls visit(z, lane) for the hops of that weight in the charge of local rank `self`, on
    // a node of `ranks` ranks, by rising z.
    template <typename Visitor>
    void for_each_charge(std::int64_t weight, int self, int ranks, Visitor&& visit) const {
        const int own = lane_of(self);
        const std::int64_t end = end_of_digits(weight);
        for (std::int64_t z = self / lanes_ + 1; z < end; z += ranks_in(own, ranks)) {
            visit(static_cast<int>(z), own);
            // With more lanes than ranks the rank has its own lane alone, and others.
            for (int lane = self + ranks; lane < lanes_; lane += ranks) visit(static_cast<int>(z), lane);
        }
    }
    // The local rank, on a node of `ranks` ranks, with the most hops and the most offsets in its charge. A
    // low digit is in more offsets than a high digit, and the first rank of a lane starts with the lowest
    // digit. The last lane has the fewest ranks. With more lanes than ranks, the first rank takes the most of
    // the lanes that have no rank.
    int busiest(int ranks) const { return ranks > lanes_ ? lanes_ - 1 : 0; }
    // Calls visit(offset) for the offsets that the hop carries, by rising offset.
    template <typename Visitor>
    void for_each_offset(std::int64_t weight, int z, Visitor&& visit) const {
        for (std::int64_t begin = z * weight; begin < nodes_; begin += next_weight(weight))
            for (std::int64_t offset = begin; offset < std::min<std::int64_t>(begin + weight, nodes_);
                 ++offset)
                visit(static_cast<int>(offset));
    }

    // The number of offsets that the hop carries, and how many of them end or begin with it.
    std::int64_t offsets(std::int64_t weight, int z) const {
        const std::int64_t period = next_weight(weight);
        return nodes_ / period * weight + std::clamp<std::int64_t>(nodes_ % period - z * weight, 0, weight);
    }
    std::int64_t last_hops(std::int64_t weight, int z) const {
        return std::clamp<std::int64_t>(nodes_ - z * weight, 0, weight);
    }
    std::int64_t first_hops(std::int64_t weight, int z) const {
        const std::int64_t period = next_weight(weight);
        return (nodes_ - z * weight + period - 1) / period;
    }

  private:
    // A radix above the number of nodes means the number of nodes.
    static std::int64_t largest_of(patterns::Radices radices, int nodes) {
        std::int64_t largest = 2, weight = 1;
        for (std::size_t digit = 0; digit < radices.count() && weight < nodes; ++digit) {
            largest = std::max<std::int64_t>(largest, radices.at(digit));
            weight *= radices.at(digit);
        }
        return std::min<std::int64_t>(largest, std::max(nodes, 2));
    }

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

    std::int64_t nodes_;
    patterns::Radices radices_;
    std::int64_t radix_; // the largest of any digit
    int lanes_;
};

} // namespace switchyard::algorithms::forwarding
