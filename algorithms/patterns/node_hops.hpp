// How blocks travel between nodes in digits, and who on a node sends and receives them: index arithmetic, no
// MPI.
//
// A block to a node `offset` places up the ring of nodes makes one hop for each digit of the offset in base r
// that is not 0, lowest digit first; the hop for digit z of weight r^x is z * r^x nodes long. Where a node has
// more ranks than there are digits, the hops of one digit have lanes: lane j of l carries what is for local
// ranks j, j + l, j + 2 l, .. of wherever it goes. All that one node sends with one hop in one lane is one
// message, and one local rank of either node is in charge of it; so all ranks share the work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms::patterns {

class NodeHops {
  public:
    // `largest`: the most ranks of a node.
    NodeHops(int nodes, int largest, std::int64_t radix)
        : nodes_(nodes), radix_(std::clamp<std::int64_t>(radix, 2, std::max(nodes, 2))),
          lanes_(static_cast<int>(std::max<std::int64_t>(1, largest / (radix_ - 1)))) {}

    std::int64_t radix() const { return radix_; }
    int lanes() const { return lanes_; }

    // The lowest digit of the offset that is not 0, from that weight up; 0: none.
    int next_digit(std::int64_t offset, std::int64_t weight) const {
        for (offset /= weight; offset != 0; offset /= radix_)
            if (offset % radix_ != 0) return static_cast<int>(offset % radix_);
        return 0;
    }
    // The local rank in charge of that digit in that lane, on a node of `ranks`.
    int charge_of(int digit, int lane, int ranks) const { return ((digit - 1) * lanes_ + lane) % ranks; }
    // Which lane carries what is for that local rank.
    int lane_of(int local_rank) const { return local_rank % lanes_; }
    // How many of a node's ranks that lane carries for.
    int ranks_in(int lane, int ranks) const { return ranks > lane ? (ranks - lane - 1) / lanes_ + 1 : 0; }

    // Calls visit(z, lane) for the hops of that weight that local rank `self` of `ranks` is in charge of.
    template <typename Visitor>
    void for_each_charge(std::int64_t weight, int self, int ranks, Visitor&& visit) const {
        for (std::int64_t charge = self; charge < (radix_ - 1) * lanes_; charge += ranks) {
            const std::int64_t z = charge / lanes_ + 1;
            if (z * weight < nodes_) visit(static_cast<int>(z), static_cast<int>(charge % lanes_));
        }
    }
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
    std::int64_t nodes_, radix_;
    int lanes_;
};

} // namespace switchyard::algorithms::patterns
