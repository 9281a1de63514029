// A signal that asks for the end.
#pragma once

namespace switchyard::shim::tune {

// Thrown between two steps. All that was measured before is kept.
struct Stopped {};

} // namespace switchyard::shim::tune
