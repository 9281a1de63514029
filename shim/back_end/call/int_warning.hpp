// Says before a crash that a call's numbers come near the end of an int.
#pragma once

#include "shim/back_end/arguments/int_limit.hpp"
#include "shim/back_end/communicator/comm_state.hpp"

namespace switchyard::shim {

// At a call whose numbers are large, or that MPI will refuse (`is_valid` false). True: some number comes near
// 2^31. The first rank of a run that finds such a call says so on stderr, at once, and in the log's
// `int_limit.txt`; without a log rank 0 of the communicator does, and any rank with a count that overflowed.
bool warn_near_int_limit(Process& self, const CallArgs& call, CommState& state, bool is_valid) noexcept;

} // namespace switchyard::shim
