// Each algorithm against the MPI library.
#pragma once

#include "test.hpp"

namespace switchyard::tests {

using namespace algorithms;

// Every call gets a workspace of exactly the declared size, so that the sanitizers see one byte too many.
void check_against_oracle(Test& test, Collective collective);

// One workspace for all calls, large enough from the start, does not grow, and its old contents do no harm.
void check_workspace_reuse(Test& test, Collective collective);

// A wire that splits nearly all transfers. It also makes tuna's fused rounds fall back to separate rounds.
void check_small_limit(Test& test, Collective collective);

// A wire that allows two or three sends at a time, and as many receives, instead of some hundred. So a few ranks
// show what only hundreds of partners would: the batches, and that no algorithm has more under way.
void check_few_at_once(Test& test, Collective collective);

// A workspace with fewer bytes than declared must end in an error code, on all ranks,
// before any message is sent.
void check_no_workspace(Test& test, Collective collective);

// An application whose counts do not match is wrong, but it must not get bytes beside its blocks. Here some
// sources send more bytes than expected, others fewer. The contents of the blocks are not checked.
void check_wrong_counts(Test& test, Collective collective);

// two_phase_bruck sends on each rank the same messages as tuna with the paper's settings in base 2.
void check_two_phase_is_tuna(Test& test);

// Every placement on nodes with all kinds of regions inside them, for algorithms that use regions.
void check_regions(Test& test);

// One buffer for both sides, for algorithms that take overlap.
void check_overlaps(Test& test);

} // namespace switchyard::tests
