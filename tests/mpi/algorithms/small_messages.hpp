// What ranks tell each other in small messages.
#pragma once

#include "overlap.hpp"

namespace switchyard::tests {

// Sizes around that of a message, and some messages: every rank's bytes arrive where they should, and no byte
// beside them changes. Collective over `comm`.
void check_small_messages(MPI_Comm comm, const Report& report);

} // namespace switchyard::tests
