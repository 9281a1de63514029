// A block of an exchange, as its place in a buffer. No MPI, so that scratch formulas can count them.
#pragma once

#include <cstddef>

namespace switchyard::algorithms {

struct Block {
    std::size_t offset = 0, size = 0; // bytes from the base
};

} // namespace switchyard::algorithms
