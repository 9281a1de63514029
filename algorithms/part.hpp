// One of several places that a transfer's bytes come from or go to. No MPI, so that scratch formulas can
// count them.
#pragma once

#include <cstddef>

namespace switchyard::algorithms {

// One that is only sent is not written to.
struct Part {
    std::byte* data;
    std::size_t bytes;
};

} // namespace switchyard::algorithms
