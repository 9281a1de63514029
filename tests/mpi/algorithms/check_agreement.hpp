// The agreement before a call.
#pragma once

#include "test.hpp"

namespace switchyard::tests {

using namespace algorithms;

// The largest of each number over all ranks, wherever it is. Again and again, so that no call meets another.
void check_agreement(Test& test);

// Blocks and an agreement in one epoch. The exchange goes on or not, as the ranks agree; one rank may not
// take part; and none of it disturbs the exchange after it. Blocks that go in streams are among them.
void check_exchange_ahead(Test& test);

} // namespace switchyard::tests
