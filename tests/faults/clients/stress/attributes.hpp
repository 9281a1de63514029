// Attributes whose delete functions call on the communicator that goes.
#pragma once

#include <mpi.h>

namespace stress {

// When `comm` is freed, its ranks make a call on it. The counts grow by that call then.
void call_when_freed(MPI_Comm comm, unsigned long long& calls, unsigned long long& made);

} // namespace stress
