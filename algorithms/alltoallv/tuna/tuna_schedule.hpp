// The rounds of TuNA at one rank: its partners, and the way of each block through each round.
#pragma once

#include "algorithms/alltoallv/tuna_scratch.hpp"
#include "algorithms/schedule.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace switchyard::algorithms::alltoallv {

// A round is the first hop of some of its blocks, and the last hop of some. A message has them in this order:
//   first hops, except of the direct block;  the direct block, whose first hop is its last;  last hops;  all others.
// So the sender takes blocks from S, then from T. The receiver puts blocks into T, then into R, then into T. Neither has to
// ask of each block where it belongs.
struct TunaRound {
    int destination, source;     // lines 12 and 13
    int left_in_digit;           // rounds, with this one
    std::span<const int> from_s; // destinations of the blocks that make their first hop
    std::span<const int> from_t; // slots of the others
    std::span<const int> to_t;   // slots of the blocks of from_s, except of the direct block
    std::span<const int> to_r;   // sources of the blocks that are home
    std::span<const int> stays;  // slots of all others

    std::size_t blocks() const { return from_s.size() + from_t.size(); }
};

class TunaSchedule : public Schedule {
  public:
    // Of rank `rank` of `ranks`. `parameters`: of tuna.
    TunaSchedule(int ranks, int rank, const Parameters& parameters) : shape_(ranks, parameters) {
        const auto radix = static_cast<int>(parameters[Parameter::radix]);
        std::size_t moved = 0, rounds = 0;
        for (patterns::Round round(ranks, radix); round.valid(); round.advance(), ++rounds)
            moved += static_cast<std::size_t>(round.blocks());
        places_.reserve(2 * moved); // so that the spans stay
        rounds_.reserve(rounds);
        for (patterns::Round round(ranks, radix); round.valid(); round.advance()) add(round, ranks, rank);
    }
    TunaSchedule(const TunaSchedule&) = delete;
    TunaSchedule& operator=(const TunaSchedule&) = delete;

    const TunaShape& shape() const { return shape_; }
    std::span<const TunaRound> rounds() const { return rounds_; }

  private:
    void add(const patterns::Round& round, int ranks, int rank) {
        const auto up = [&](int offset) {
            return rank + offset < ranks ? rank + offset : rank + offset - ranks;
        };
        const auto down = [&](int offset) { return rank >= offset ? rank - offset : rank - offset + ranks; };
        const auto for_each_range = [&](auto visit) {
            round.for_each_range(
                [&](const patterns::OffsetRange& range) { visit(range, range.begin == round.distance()); });
        };
        TunaRound all{
            down(round.distance()), up(round.distance()), round.left_in_digit(), {}, {}, {}, {}, {}};
        all.from_s = list([&] {
            for_each_range([&](const auto& range, bool is_home) {
                if (!is_home) places_.push_back(down(range.begin));
            });
            places_.push_back(all.destination);
        });
        all.to_t = list([&] {
            for_each_range([&](const auto& range, bool is_home) {
                if (!is_home) places_.push_back(range.begin - range.shift);
            });
        });
        const auto waiting = [&](bool home) {
            for_each_range([&](const auto& range, bool is_home) {
                if (is_home != home) return;
                for (int offset = range.begin + 1; offset < range.end; ++offset)
                    places_.push_back(offset - range.shift);
            });
        };
        all.from_t = list([&] {
            waiting(true);
            waiting(false);
        });
        all.to_r = list([&] {
            for_each_range([&](const auto& range, bool is_home) {
                if (!is_home) return;
                for (int offset = range.begin; offset < range.end; ++offset) places_.push_back(up(offset));
            });
        });
        all.stays = all.from_t.subspan(all.to_r.size() - 1);
        rounds_.push_back(all);
    }

    // The places that `fill` adds.
    template <typename Fill>
    std::span<const int> list(Fill&& fill) {
        const std::size_t begin = places_.size();
        fill();
        return {places_.data() + begin, places_.size() - begin};
    }

    TunaShape shape_;
    std::vector<int> places_;
    std::vector<TunaRound> rounds_;
};

} // namespace switchyard::algorithms::alltoallv
