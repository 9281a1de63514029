// How an algorithm is called, and what it may use besides the exchange.
#pragma once

#include "exchange.hpp"
#include "schedule.hpp"
#include "status.hpp"
#include "traits.hpp"
#include "workspace.hpp"

#include <memory>

namespace switchyard::algorithms {

class NodeWindow;
class Wire;

struct Context {
    const Parameters& parameters; // admissible for this number of ranks
    Workspace& workspace;         // holds at least traits.scratch_bytes(...)
    Wire& wire;                   // the only way to send messages
    NodeWindow* window = nullptr; // memory that the ranks of a node share; null: there is no such memory
    // For an algorithm that keeps a schedule: the schedule that it prepared for this
    // group and these parameters.
    const Schedule* schedule = nullptr;
    bool has_begun = false; // the exchange has begun in `window`: NodeWindow::begin()

    // The window for the intra-node phases of an algorithm that takes `intra`. Null:
    // these phases use messages.
    NodeWindow* intra_window() const {
        return parameters[Parameter::intra] == static_cast<std::int64_t>(Intra::shared) ? window : nullptr;
    }
};

using Run = Status (*)(const Exchange&, Context&);
// May throw std::bad_alloc. No communication.
using Prepare = std::unique_ptr<Schedule> (*)(const Group&, const Parameters&);

struct Algorithm {
    const Traits* traits;
    Run run;         // null for native
    Prepare prepare; // null where the algorithm keeps no schedule

    std::unique_ptr<Schedule> prepared(const Group& group, const Parameters& parameters) const {
        return prepare == nullptr ? nullptr : prepare(group, parameters);
    }
};

// The algorithm that a traits entry describes.
const Algorithm& algorithm_of(const Traits& traits);

} // namespace switchyard::algorithms
