// The rounds of an r-ary Bruck exchange, as index arithmetic: no MPI, no memory, no floating point.
//
// A block that has to travel `offset` ranks down the ring (source - destination, modulo ranks) does so in one
// hop per non-zero digit of its offset in base r, lowest digit first. Round (x, z) moves all blocks whose
// digit x is z over a distance of z * r^x. One block in a round has this distance as its offset: it goes
// directly, in a single hop.
//
// Each digit may have a radix of its own. Then r^x means the product of the radices of the lower digits.
#pragma once

#include "radices.hpp"

#include <algorithm>
#include <cstdint>

namespace switchyard::algorithms::patterns {

// Consecutive offsets begin <= o < end of the blocks of a round. They share all digits from x up. Therefore:
// - Only the block at `begin` makes its first hop, since its lower digits are zero. The other blocks have
//   waited in the temporary buffer since an earlier round, in slot o - shift.
// - In the round's first range all blocks arrive, since their higher digits are zero. In later ranges all
//   blocks go on later, and wait in the temporary buffer, in slot o - shift. The direct block is the first
//   range's `begin` and has no slot.
struct OffsetRange {
    int begin, end;
    int shift;
};

// One round, and the walk over all rounds: for (Round k(ranks, radices); k.valid(); k.advance()).
class Round {
  public:
    Round(int ranks, Radices radices) : radices_(radices), ranks_(ranks), radix_(radices.at(0)) {}

    bool valid() const { return distance_ < ranks_; }

    void advance() {
        distance_ += weight_;
        ++index_;
        if (++z_ == radix_) {
            weight_ = distance_; // z * r^x with z = r: the next digit
            z_ = 1;
            radix_ = radices_.at(static_cast<std::size_t>(++x_));
        }
    }

    int x() const { return x_; }
    int z() const { return z_; }
    int distance() const { return distance_; } // z * r^x
    int weight() const { return weight_; }     // r^x
    int index() const { return index_; } // rounds before this one; also the direct offsets below distance()

    // Whether the block of that offset moves for the first time in this round: its lower digits are zero.
    bool is_first_hop(int offset) const { return offset % weight_ == 0; }

    // The number of blocks that the round moves.
    int blocks() const {
        int period = span();
        int rest = std::clamp(ranks_ % period - distance_, 0, weight_);
        // The number of ranks cuts the period short: there is one range.
        return period == ranks_ ? std::min(weight_, ranks_ - distance_) : ranks_ / period * weight_ + rest;
    }

    // Calls visit(OffsetRange) for all ranges of the round, by rising offset.
    template <typename Visitor>
    void for_each_range(Visitor&& visit) const {
        visit(OffsetRange{distance_, std::min(distance_ + weight_, ranks_), index_ + 2});
        int period = span();
        if (distance_ + period >= ranks_) {
            return;
        }
        Round above = next_digit(); // its distance is the lowest direct offset above the ranges so far
        for (int begin = distance_ + period; begin < ranks_; begin += period) {
            while (above.distance_ < begin) {
                above.advance();
            }
            visit(OffsetRange{begin, std::min(begin + weight_, ranks_), above.index_ + 1});
        }
    }

    // The number of rounds left in this digit, with this round. Rounds of one digit do not wait for each
    // other: a block that one round moves came to rest in an earlier digit and moves again in a later digit.
    int left_in_digit() const { return std::min(radix_ - z_, (ranks_ - 1 - distance_) / weight_ + 1); }

    // The first round of the digit after this one.
    Round next_digit() const {
        Round next = *this;
        next.index_ += radix_ - z_;
        next.weight_ = next.distance_ = span();
        next.z_ = 1;
        next.radix_ = radices_.at(static_cast<std::size_t>(++next.x_));
        return next;
    }

  private:
    // r^(x+1), after which the digit takes its value again. At most the number of
    // ranks, so that it fits an int.
    int span() const {
        return static_cast<int>(std::min(std::int64_t{weight_} * radix_, std::int64_t{ranks_}));
    }

    Radices radices_;
    int ranks_, radix_; // of this digit
    int x_ = 0, z_ = 1;
    int weight_ = 1; // r^x
    int distance_ = 1;
    int index_ = 0;
};

// Calls visit(Round) for the first round of each digit.
template <typename Visitor>
void for_each_digit(int ranks, Radices radices, Visitor&& visit) {
    for (Round round(ranks, radices); round.valid(); round = round.next_digit()) visit(round);
}

// K: the number of rounds, at most w(r-1) with w = ceil(log_r ranks).
inline int rounds(int ranks, Radices radices) {
    int count = 0;
    for_each_digit(ranks, radices, [&](const Round& round) { count += round.left_in_digit(); });
    return count;
}

// The most rounds of one digit.
inline int most_in_digit(int ranks, Radices radices) {
    int most = 0;
    for_each_digit(ranks, radices, [&](const Round& round) { most = std::max(most, round.left_in_digit()); });
    return most;
}

// The most blocks that one round moves. Within a digit the round with z = 1 moves the most.
inline int most_blocks(int ranks, Radices radices) {
    int most = 0;
    for_each_digit(ranks, radices, [&](const Round& round) { most = std::max(most, round.blocks()); });
    return most;
}

// B: the most blocks that wait at the same time for a later round. The own block and the K
// direct blocks never wait.
inline int slots(int ranks, Radices radices) {
    return ranks - (rounds(ranks, radices) + 1);
}

} // namespace switchyard::algorithms::patterns
