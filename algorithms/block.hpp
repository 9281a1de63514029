// The place of a block in a buffer. No MPI, so that workspace formulas can count blocks.
#pragma once

#include <cstddef>

namespace switchyard::algorithms {

struct Block {
    std::size_t offset = 0, size = 0; // bytes from the base
};

} // namespace switchyard::algorithms
