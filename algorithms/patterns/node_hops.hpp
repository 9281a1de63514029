// How blocks travel between nodes in digits, and who on a node sends and receives them: index arithmetic, no
// MPI.
//
// A block to a node `offset` places up the ring of nodes makes one hop for each digit of the offset in base r
// that is not 0, lowest digit first; the hop for digit z of weight r^x is z * r^x nodes long. All hops of one
// weight and digit from one node are one message; local rank (z - 1) % q of a node of q ranks sends it, and
// the local rank in charge of z there receives it. So with r of at most q + 1 no rank has more than one
// message at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms::patterns {

class NodeHops {
  public:
    NodeHops(int nodes, std::int64_t radix)
        : nodes_(nodes), radix_(std::clamp<std::int64_t>(radix, 2, std::max(nodes, 2))) {}

    std::int64_t radix() const { return radix_; }

    // The lowest digit of the offset that is not 0, from that weight up; 0: none.
    int next_digit(std::int64_t offset, std::int64_t weight) const {
        for (offset /= weight; offset != 0; offset /= radix_)
            if (offset % radix_ != 0) return static_cast<int>(offset % radix_);
        return 0;
    }
    static int charge_of(int digit, int ranks) { return (digit - 1) % ranks; }

    // Calls visit(z) for the hops of that weight that local rank `self` of `ranks` is in charge of.
    template <typename Visitor>
    void for_each_digit(std::int64_t weight, int self, int ranks, Visitor&& visit) const {
        for (std::int64_t z = self + 1; z < radix_ && z * weight < nodes_; z += ranks)
            visit(static_cast<int>(z));
    }
    // Calls visit(offset) for the blocks in that hop's message, by rising offset.
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
};

} // namespace switchyard::algorithms::patterns
