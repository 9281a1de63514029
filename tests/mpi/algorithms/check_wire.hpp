// The wire, the workspace and the types of MPI by themselves.
#pragma once

#include "test.hpp"

namespace switchyard::tests {

using namespace algorithms;

void check_wire(Test& test);

// Parts on one side, and parts or contiguous bytes on the other side, are the same
// bytes in the same messages.
void check_wire_parts(Test& test);

// Every transfer is reported once, when its last message is over.
void check_wire_any(Test& test);

// The two channels of a wire do not meet, and count together. A receive without a message can be cancelled.
void check_second_channel(Test& test);

void check_wire_alltoall(Test& test);

// A message that does not fit is an error code, once. The wire goes on working.
void check_wire_errors(Test& test);

void check_workspace(Failures& failures);

// What files that know no MPI are handed, and what they hand back.
void check_types_of_mpi(Test& test);

} // namespace switchyard::tests
