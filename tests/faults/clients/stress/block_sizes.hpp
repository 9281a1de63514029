// How many units each rank sends to each: a function of both, which all ranks know.
#pragma once

#include "random.hpp"

#include <cstdint>

namespace stress {

struct SizeRequest {
    int unit_bytes;
    std::int64_t most_block_bytes, most_side_bytes; // of all blocks that a rank sends or receives
    int ranks;                                      // of the larger side of an intercommunicator
    bool is_fixed;                                  // one size for all blocks
    bool is_symmetric;                              // as much back
    bool none_empty;
};

class BlockSizes {
  public:
    BlockSizes(const SizeRequest& request, Stream& group);

    // `side`: the sender's group of an intercommunicator, else 0.
    int units(int side, int source, int destination) const;
    // Of the block that a rank gives to everybody.
    int units(int side, int source) const { return units(side, source, same_for_all); }
    int most() const { return most_; }
    int granule() const { return granule_; }

  private:
    enum Pattern {
        equal,
        ragged,
        sparse,
        one_hot,
        power_law,
        one_large,
        half_silent,
        own_only,
        falling,
        patterns
    };
    static constexpr int same_for_all = -1;

    Pattern pattern_;
    std::uint64_t key_;
    int most_, granule_, hot_source_, hot_destination_;
    bool is_symmetric_, differs_by_side_;
};

} // namespace stress
