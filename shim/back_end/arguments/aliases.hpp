// Send and receive buffers that are the same: MPI forbids them, and some MPIs refuse them.
#pragma once

#include "call.hpp"

namespace switchyard::shim {

// Whether this MPI refuses them: MPICH does, unless it was built or told not to check. `ours`: a communicator
// of our own, whose errors return. No other rank takes part.
bool refuses_aliases(MPI_Comm ours);

// Whether an MPI that refuses them would refuse this call of `rank`: the same type, the same count or array
// of counts, and the same place for this rank's own block.
bool is_aliased(const CallArgs& call, int rank);

} // namespace switchyard::shim
