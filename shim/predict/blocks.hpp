// What a plan knows about the sizes of blocks: means and shares, not each block. In bytes.
#pragma once

#include "shim/bench/distributions.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace switchyard::shim::predict {

// The blocks from one rank to another. Means include the blocks of no bytes.
struct BlockFacts {
    double mean = 0;    // of the blocks of all ranks
    double busiest = 0; // of the blocks of the rank that sends the most
    double some = 1;    // the share of that rank's blocks that are not empty: an empty block is no message
    double largest = 0; // from any rank to another
};

class Blocks {
  public:
    // From the benchmark's sizes, of all ranks or, if there are many, of some ranks.
    Blocks(const bench::Distribution& distribution, int ranks, std::size_t largest);

    const BlockFacts& all() const { return all_; }
    // Only blocks of fewer than `border` bytes. The other blocks count as empty.
    BlockFacts below(double border) const;
    // Only blocks of `border` bytes or more.
    BlockFacts from(double border) const;

  private:
    template <typename Counts>
    BlockFacts facts_of(Counts&& counts) const;

    std::vector<std::vector<std::size_t>> sizes_; // by source
    BlockFacts all_;
};

} // namespace switchyard::shim::predict
