// The first launch: whether it works, where the ranks are, and how long a launch takes.
#pragma once

#include "bench_run.hpp"
#include "machine.hpp"

namespace switchyard::shim::tune {

struct Probe {
    Place place;
    double seconds = 0; // of a launch
};

// Throws Stopped, or std::runtime_error with a sentence for people: the launcher fails, or starts one rank.
Probe probe(const Machine& machine);

} // namespace switchyard::shim::tune
