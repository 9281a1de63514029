// One call on its way: what no step changes, and what the log says of it.
#pragma once

#include "shim/back_end/arguments/call.hpp"
#include "shim/back_end/arguments/measure.hpp"
#include "shim/back_end/communicator/comm_state.hpp"

namespace switchyard::shim {

struct Passage {
    Process& self;
    const CallArgs& call;
    CommState& state;
    Measure measured; // by this rank alone
    bool logs;        // decided once: a call is recorded whole or not at all
};

// What was chosen for a call, and why.
struct Decision {
    Plan* plan;
    policy::Match match{};

    const policy::Choice& choice() const { return plan->choice(match); }
    bool is_native() const { return choice().algorithm->native; }
};

// The record of a call that begins now.
log::CallRecord begin_record(const Passage& passage);
// Writes the record of a call that is over. A record that finds no memory is left out.
void end_record(const Passage& passage, const Decision& decision, log::CallRecord& record) noexcept;

// Tells what is learned of adaptive uses how long the application waited in the call; without the agreement, where every
// candidate needs it.
void note_time(const Passage& passage, const log::CallRecord& record, int code);

} // namespace switchyard::shim
