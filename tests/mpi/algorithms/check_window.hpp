// The memory of a node by itself: who waits for whom, streams, reads from each other's memory.
#pragma once

#include "test.hpp"

namespace switchyard::tests {

using namespace algorithms;

void check_waits_for_senders_alone(Test& test);

// A rank sends blocks to a rank that expects nothing: it may not hang, and the next exchange is right.
void check_sent_in_vain(Test& test);

// Large blocks read from their writers' own memory, where the system allows it.
void check_reading_by_cma(Test& test);

} // namespace switchyard::tests
