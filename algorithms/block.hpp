// The place of a block in a buffer. No MPI, so that workspace formulas can count blocks.
#pragma once

#include <cstddef>

namespace switchyard::algorithms {

struct Block {
    std::size_t offset = 0, size = 0; // bytes from the base
};

// Memory of ours has so many bytes behind its last block, so that a small block is copied from there, and to
// there, without a look at its size.
inline constexpr std::size_t spare_bytes = 16;

} // namespace switchyard::algorithms
