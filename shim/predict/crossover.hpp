// From which block on two-phase Bruck is faster than padded Bruck (two-phase Bruck paper, section 3.3).
#pragma once

#include "predict.hpp"

#include <cstddef>
#include <optional>

namespace switchyard::shim::predict {

// Padded Bruck is faster with smaller blocks, since it sends half the messages; two-phase Bruck with larger
// blocks, since it sends no padding. Both are largest blocks in bytes, as the benchmark is asked for.
struct Crossover {
    double by_formula; // infinite where no block is padded
    std::optional<std::size_t>
        by_model; // nothing: padded Bruck is the faster one up to the largest block tried
};
inline constexpr std::size_t largest_block_tried = std::size_t{1} << 20;

// The paper's inequality (3), (N - 8) (P + 1) beta < 4 alpha, solved for N. In the paper blocks are uniform: a
// mean block has half the bytes of a padded one. `mean` and `padded` are these two as shares of N.
double padded_wins_below(int ranks, double alpha_us, double beta_us_per_byte, double mean = 0.5,
                         double padded = 1);

// The block of `call` is of no account.
Crossover crossover_of(const Machine& machine, const Call& call);

} // namespace switchyard::shim::predict
