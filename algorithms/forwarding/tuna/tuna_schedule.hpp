// The rounds of TuNA at one rank: its partners, and the way of each block through each round.
#pragma once

#include "algorithms/forwarding/tuna_scratch.hpp"
#include "algorithms/schedule.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace switchyard::algorithms::forwarding {

// A round is the first hop of some of its blocks, and the last hop of some. A message has them in this order:
//   first hops, except the direct block's;  the direct block, whose first hop is its last;  last hops;
//   all other hops.
// So the sender takes blocks from S, then from T. The receiver puts blocks into T, then into R, then into T.
// Neither has to ask where each block belongs.
struct TunaRound {
    int destination, source;     // lines 12 and 13
    int left_in_digit;           // rounds, with this one
    std::span<const int> from_s; // destinations of the blocks that make their first hop
    std::span<const int> from_t; // slots of the other blocks
    std::span<const int> to_t;   // slots of the blocks of from_s, except the direct block
    std::span<const int> to_r;   // sources of the blocks that are home
    std::span<const int> stays;  // slots of all others

    std::size_t blocks() const { return from_s.size() + from_t.size(); }
};

class TunaSchedule : public Schedule {
  public:
    // The rounds of rank `rank` of `ranks` ranks. `parameters`: tuna's.
    TunaSchedule(int ranks, int rank, const Parameters& parameters) : rank_(rank), shape_(ranks, parameters) {
        const patterns::Radices radices = parameters[Parameter::radix];
        std::size_t moved = 0, rounds = 0;
        for (patterns::Round round(ranks, radices); round.valid(); round.advance(), ++rounds)
            moved += static_cast<std::size_t>(round.blocks());
        places_.reserve(2 * moved); // so that the spans stay valid
        rounds_.reserve(rounds);
        for (patterns::Round round(ranks, radices); round.valid(); round.advance()) add(round);
    }
    TunaSchedule(const TunaSchedule&) = delete;
    TunaSchedule& operator=(const TunaSchedule&) = delete;

    const TunaShape& shape() const { return shape_; }
    std::span<const TunaRound> rounds() const { return rounds_; }

  private:
    int up(int offset) const {
        return rank_ + offset < shape_.ranks ? rank_ + offset : rank_ + offset - shape_.ranks;
    }
    int down(int offset) const { return rank_ >= offset ? rank_ - offset : rank_ - offset + shape_.ranks; }

    // In a round, the blocks of the first range are home, and the first block of each range makes its first
    // hop. All other blocks wait in T (patterns::OffsetRange).
    void add(const patterns::Round& round) {
        const int distance = round.distance();
        TunaRound added{down(distance), up(distance), round.left_in_digit(), {}, {}, {}, {}, {}};
        const auto is_home = [&](const auto& range) { return range.begin == distance; };
        added.from_s = list(round, [&](const auto& range) {
            if (!is_home(range)) places_.push_back(down(range.begin));
        });
        places_.push_back(added.destination);
        added.from_s = {added.from_s.data(), added.from_s.size() + 1};
        added.to_t = list(round, [&](const auto& range) {
            if (!is_home(range)) places_.push_back(range.begin - range.shift);
        });
        added.from_t = list(round, [&](const auto& range) {
            for (int offset = range.begin + 1; offset < range.end; ++offset)
                places_.push_back(offset - range.shift);
        });
        added.to_r = list(round, [&](const auto& range) {
            for (int offset = range.begin; is_home(range) && offset < range.end; ++offset)
                places_.push_back(up(offset));
        });
        added.stays = added.from_t.subspan(added.to_r.size() - 1);
        rounds_.push_back(added);
    }

    // The places that `put` adds for the ranges of the round.
    template <typename Put>
    std::span<const int> list(const patterns::Round& round, Put&& put) {
        const std::size_t begin = places_.size();
        round.for_each_range(put);
        return {places_.data() + begin, places_.size() - begin};
    }

    const int rank_;
    TunaShape shape_;
    std::vector<int> places_;
    std::vector<TunaRound> rounds_;
};

} // namespace switchyard::algorithms::forwarding
