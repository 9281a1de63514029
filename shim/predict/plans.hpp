// A plan for each line of registry.def of a collective among all ranks: predict::<collective>::<name>(situation,
// sink), in the file of its family. A line without a plan does not link. Collectives among neighbours have none:
// their time depends on the graph, which no log and no command has.
#pragma once

#include "plan.hpp"

namespace switchyard::shim::predict {

// What MPI libraries usually do (plans_native.cpp). An assumption: the library in use may do something else.
namespace native {
#define SWITCHYARD_COLLECTIVE(name, ...) void name(const Situation&, Sink&);
#include "algorithms/collectives.def"
} // namespace native

#define SWITCHYARD_ALGORITHM(collective, name, ...)                                                          \
    namespace collective {                                                                                   \
    void name(const Situation&, Sink&);                                                                      \
    }
#include "algorithms/registry.def"

// The plan of the algorithm, without an agreement before it.
void plan(const algorithms::Traits& algorithm, const Situation& situation, Sink& sink);

} // namespace switchyard::shim::predict
