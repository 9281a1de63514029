// What a plan knows of the sizes of blocks: means and shares, not each block. Bytes.
#pragma once

#include "shim/bench/distributions.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace switchyard::shim::predict {

// Of the blocks from a rank to another. Means are over all blocks, those of no bytes included.
struct BlockFacts {
    double mean = 0;    // of the blocks of all ranks
    double busiest = 0; // of those of the rank that sends the most
    double some = 1;    // the share of that rank's blocks that are not empty: an empty block is no message
    double largest = 0; // from any rank to another
};

class Blocks {
  public:
    // Of the benchmark's sizes, from all ranks or, where they are many, from some of them.
    Blocks(const bench::Distribution& distribution, int ranks, std::size_t largest);

    const BlockFacts& all() const { return all_; }
    // Only blocks of fewer bytes than that. The others count as empty.
    BlockFacts below(double border) const;
    // Only blocks of so many bytes or more.
    BlockFacts from(double border) const;

  private:
    template <typename Counts>
    BlockFacts facts_of(Counts&& counts) const;

    std::vector<std::vector<std::size_t>> sizes_; // by source
    BlockFacts all_;
};

} // namespace switchyard::shim::predict
