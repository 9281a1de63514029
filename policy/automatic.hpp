// "auto" of radix and block_count: values that follow from the size of blocks.
//
// All ranks find the same value: they agree on the size before the call, or MPI guarantees that they know it.
// Where nobody knows it, the border of direct_from stands in for it, which is the same everywhere, too.
#pragma once

#include "table.hpp"

#include <optional>

namespace switchyard::policy {

// How large blocks are: the largest block, or only a border that all forwarded blocks are below.
struct BlockSize {
    std::size_t bytes;
    bool is_border = false;
};

// `parameters`: the algorithm's. Those that are not "auto" are known.
std::int64_t automatic_radix(const algorithms::Traits& traits, const algorithms::Parameters& parameters,
                             const algorithms::GroupShape& shape, const BlockSize& block);
std::int64_t automatic_block_count(const algorithms::GroupShape& shape, std::size_t bytes);

// Whether some "auto" of `use` follows the largest block of each call, since all ranks know it there.
// `bounded`: the rule gives max_block_bytes.
bool follows_block(const algorithms::Traits& traits, const Use& use, bool bounded);

} // namespace switchyard::policy
