// One call on its way: what no step changes, and what the log says about it.
#pragma once

#include "shim/back_end/arguments/call.hpp"
#include "shim/back_end/arguments/measure.hpp"
#include "shim/back_end/arguments/moves.hpp"
#include "shim/back_end/communicator/comm_state.hpp"
#include "shim/back_end/process/clock.hpp"

namespace switchyard::shim {

struct CallContext {
    Process& self;
    const CallArgs& call;
    CommState& state;
    Measure measured;       // from this rank's arguments
    bool is_near_int_limit; // some number of this rank's arguments
    bool logs;              // decided once: a call is recorded whole or not at all
};

// What was chosen for a call, and why.
struct Decision {
    Plan* plan;
    policy::Match match{};
    bool is_mapped = false; // the blocks travel between the memory of GPUs

    const policy::Choice& choice() const { return plan->choice(match); }
    bool is_native() const { return choice().algorithm->native; }
};

// The record of a call that began at `begin`, by Clock.
inline log::CallHead head_of(const CallContext& context, std::uint64_t begin) {
    log::CallHead record;
    record.begin = begin;
    record.max_block = context.measured.max_block;
    record.sent = context.measured.sent;
    record.collective = static_cast<std::uint8_t>(context.call.collective);
    record.binding = static_cast<std::uint8_t>(context.call.binding);
    record.in_place = context.call.in_place();
    record.large_count = context.call.large_count;
    record.near_int_limit = context.is_near_int_limit;
    return record;
}
inline log::CallHead begin_head(const CallContext& context) {
    return head_of(context, Clock::now());
}
inline log::CallRecord begin_record(const CallContext& context) {
    return {begin_head(context)};
}

// Writes the record, and where the bytes of the call go. `Record`: CallHead or CallRecord. Apart, since few
// calls come here.
template <typename Record>
[[gnu::noinline, gnu::cold]] void record_with_moves(const CallContext& context, const Record& record) {
    log::CallRecord looked{record};
    auto& state = context.state;
    const auto moves = moves_of(context.call, state.peers(context.call.collective), state.types());
    looked.has_moves = true;
    looked.looks = 1;
    looked.own_bytes = moves.own_bytes;
    looked.looked_sent = record.sent;
    looked.partners = looked.most_partners = moves.partners;
    looked.empty_blocks = moves.empty_blocks;
    state.log().add(context.self, looked);
}

// Writes the record of a call that is over. Without memory the record is left out.
// `Record`: CallHead or CallRecord.
template <typename Record>
[[gnu::always_inline]] inline void end_record(const CallContext& context, const Decision& decision,
                                              Record& record) noexcept {
    if (!context.logs) return;
    try {
        record.elapsed = Clock::now() - record.begin;
        record.decision = decision.plan->decision(context.self, decision.match);
        if (context.state.log().looks_at(context.call.collective)) [[unlikely]]
            return record_with_moves(context, record);
        context.state.log().add(context.self, record);
    } catch (...) { // no memory
    }
}

} // namespace switchyard::shim
