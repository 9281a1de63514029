// The parts of a call, as slices inside its own.
#pragma once

#include "call.hpp"

#include <vector>

namespace switchyard::shim::report {

struct Part {
    const char* name;
    double begin, duration; // microseconds; `begin` counts from the call's begin
};

// In the order in which a call does them. A log says how long the parts took, not when they began: the
// agreement, copies from the device and packing stand at the call's begin, copies to the device at its end.
// Unpacking counts as packing. All parts lie inside `duration`, the length of the call's own slice. Parts
// that took no time are left out.
std::vector<Part> parts_of(const Call& call, double duration);

} // namespace switchyard::shim::report
