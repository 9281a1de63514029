// Ranks may be more than cores.
#pragma once

#include <sched.h>

namespace switchyard::tests::threads {

template <typename IsOver>
void wait_until(const IsOver& is_over) {
    while (!is_over()) sched_yield();
}

} // namespace switchyard::tests::threads
