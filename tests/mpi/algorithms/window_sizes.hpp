// The memory of a node, as large as it ships, at the sizes where something else happens to a block.
#pragma once

#include "overlap.hpp"

namespace switchyard::tests {

// Blocks one byte smaller and one byte larger than each size from which a block goes another way, mixed and
// equal, at rest and beside emulated programs, compared with the MPI library's own. Whole buffers are
// compared: no byte between blocks may change. Collective over the ranks of `group`.
void check_window_sizes(const algorithms::Group& group, MPI_Comm oracle, const Report& report);

} // namespace switchyard::tests
