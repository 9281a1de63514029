// The place of a block in a buffer. No MPI, so that workspace formulas can count blocks.
#pragma once

#include <cstddef>

namespace switchyard::algorithms {

struct Block {
    std::size_t offset = 0, size = 0; // bytes from the base
};

// Our own memory has this many spare bytes behind its last block. So a small block is copied from there or to
// there without a look at its size.
inline constexpr std::size_t spare_bytes = 16;

} // namespace switchyard::algorithms
