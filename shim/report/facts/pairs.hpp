// A figure of the runs of two pools: its spread on each side, and the runs in pairs.
#pragma once

#include "pool.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace switchyard::shim::report {

// The median of an even number of values is the mean of the middle two. (Samples of calls
// give a value that occurred.)
struct Spread {
    std::size_t count = 0;
    double median = 0, deviation = 0; // median absolute deviation; 0 without values
};
Spread spread_of(const std::vector<double>& values);

// With one winner: see Paired::is_sure.
inline constexpr std::size_t fewest_pairs = 5;

// Pairs the first run of A with the first run of B, and so on, in the order of their start. Runs beyond the
// other side's number have no partner. A run whose figure is not known counts on neither side.
struct Paired {
    std::array<Spread, 2> sides;
    Spread ratio; // B over A, of the pairs
    double least_ratio = 0, largest_ratio = 0;
    std::size_t faster = 0, slower = 0;        // pairs in which B is faster or slower
    std::array<std::vector<double>, 2> values; // of the runs, in the order of their start
    std::size_t pairs() const { return ratio.count; }
    // If neither side is faster: the probability that this many pairs or more have the same winner, as with
    // tosses of a coin.
    double chance() const;
    // Chance seldom gives this. It takes at least five pairs with one winner: by chance, 1 of
    // 16 comparisons has them.
    bool is_sure() const { return chance() <= 0.1; }
};

using Figure = double RunFigures::*;
Paired paired(const Pool& a, const Pool& b, Figure figure);

// Two runs or more on each side, and all runs of one side began before those of the other side.
bool ran_one_after_the_other(const Pool& a, const Pool& b);

} // namespace switchyard::shim::report
