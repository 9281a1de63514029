#include "route.hpp"

#include "comm_state.hpp"
#include "features.hpp"
#include "process.hpp"
#include "stage.hpp"

#include <algorithm>

namespace switchyard::shim {

namespace {

// A call on its way: what was found out about it and how long each part took.
struct Passage {
    Process& self;
    const CallArgs& call;
    CommState& state;
    Plan* plan;
    Measure measured;
    bool logs; // decided once: a call is recorded whole or not at all
    log::CallRecord record{};
    policy::Match match{};
    int code = MPI_SUCCESS; // of a routed call
};

// What the log says of a call whatever takes it.
inline void begin_record(Passage& passage) {
    auto& record = passage.record;
    record.begin = Clock::now();
    record.max_block = passage.measured.max_block;
    record.sent = passage.measured.sent;
    record.collective = static_cast<std::uint8_t>(passage.call.collective);
    record.binding = static_cast<std::uint8_t>(passage.call.binding);
    record.in_place = passage.call.in_place();
    record.large_count = passage.call.large_count;
}

inline void end_record(Passage& passage) noexcept {
    if (!passage.logs) return;
    try {
        auto& record = passage.record;
        record.elapsed = Clock::now() - record.begin;
        record.decision = passage.plan->decision(passage.self, passage.match);
        passage.state.record(passage.self, record);
    } catch (...) { // a record less
    }
}

policy::Features features_of(const Passage& passage) {
    policy::Features features;
    features.collective = passage.call.collective;
    features.in_place = passage.record.in_place;
    features.ranks = passage.state.ranks();
    features.nodes = passage.state.nodes();
    features.ranks_per_node = passage.state.ranks_per_node();
    features.max_block_bytes = passage.measured.max_block;
    return features;
}

// Native, since some rank has no memory for packing.
policy::Match no_memory_for(const policy::Match& match, const policy::Plan& plan) {
    return {plan.candidates.size() - 1, match.candidate, policy::PassedOver::scratch_does_not_fit};
}

// The first choice whose memory can be had on all ranks. Everything here is the same on all ranks, or agreed.
policy::Match choose(Passage& passage, const policy::Features& features, bool all_can_pack) {
    auto& rails = *passage.state.rails();
    const auto& plan = passage.plan->policy();
    auto match = policy::choose(plan, features);
    if (!all_can_pack && !passage.plan->choice(match).algorithm->native) return no_memory_for(match, plan);
    while (!rails.reserve(policy::scratch_bytes(passage.plan->choice(match), features)))
        match = policy::choose(plan, features, match.candidate + 1);
    return match;
}

// Agrees with the other ranks on what the plan looks at. In alltoall and allgather MPI itself guarantees that
// all ranks have the same block.
Agreement agree_where_needed(Passage& passage, Stage& stage, bool ready) {
    const auto& plan = passage.plan->policy();
    auto& record = passage.record;
    if (passage.call.collective != Collective::alltoallv || !(plan.looks_at_block || plan.looks_at_overlap))
        return {passage.measured.max_block, true, false, MPI_SUCCESS};
    auto start = Clock::now();
    auto agreement =
        agree(passage.measured, ready, plan.looks_at_overlap && stage.overlaps(), *passage.state.rails());
    record.agree = Clock::now() - start;
    record.max_block = passage.measured.max_block = agreement.max_block;
    if (agreement.overlapping) {
        passage.plan = &passage.state.plan(passage.call.collective, Buffers::overlapping);
        record.in_place = true;
    }
    return agreement;
}

bool may_take_overlap(const policy::Plan& plan) {
    return plan.looks_at_overlap ||
           std::any_of(plan.candidates.begin(), plan.candidates.end(), [](const policy::Candidate& c) {
               return c.choice.algorithm->has(algorithms::takes_overlap);
           });
}

// Everything up to the choice. True: an algorithm of ours takes the call and is done with it. False: native.
bool run_ours(Passage& passage) {
    auto& rails = *passage.state.rails();
    auto& record = passage.record;
    rails.workspace.reserve(0);
    Stage stage(passage.call, passage.state, passage.self.datatype_keyval);
    // What has to be packed depends on the algorithm where one of them works in place: then it comes first.
    const bool choice_first = may_take_overlap(passage.plan->policy());
    bool ready = choice_first || stage.reserve();
    auto agreement = agree_where_needed(passage, stage, ready);
    passage.code = agreement.code;
    if (agreement.code != MPI_SUCCESS) return true; // the communicator is broken
    record.has_detail = true;

    passage.match = choose(passage, features_of(passage), agreement.all_ready);
    if (choice_first && !passage.plan->choice(passage.match).algorithm->native) {
        if (passage.plan->choice(passage.match).algorithm->has(algorithms::takes_overlap))
            stage.allow_overlap();
        if (!all_agree(stage.reserve(), rails.group.comm))
            passage.match = no_memory_for(passage.match, passage.plan->policy());
    }
    const auto& choice = passage.plan->choice(passage.match);
    if (choice.algorithm->native) return false;

    if (!ready) { // nothing was agreed, so the others are on their way already
        passage.code = MPI_ERR_NO_MEM;
        return true;
    }
    auto begin = Clock::now();
    passage.code = stage.load();
    auto loaded = Clock::now();
    if (passage.code == MPI_SUCCESS) {
        rails.wire.reset();
        algorithms::Context context{choice.parameters, rails.workspace, rails.wire, rails.window.get()};
        passage.code = algorithms::algorithm_of(*choice.algorithm)
                           .run(stage.exchange(passage.measured.max_block), context)
                           .code;
    }
    auto exchanged = Clock::now();
    if (passage.code == MPI_SUCCESS) passage.code = stage.unload();
    record.stage = loaded - begin + (Clock::now() - exchanged);
    record.exchange = exchanged - loaded;
    record.messages = rails.wire.traffic().messages;
    record.wire_bytes = rails.wire.traffic().bytes;
    record.rounds = rails.wire.traffic().rounds;
    record.has_nodes = passage.state.nodes() > 1;
    record.messages_inter = rails.wire.traffic().messages_inter;
    record.wire_bytes_inter = rails.wire.traffic().bytes_inter;
    return true;
}

bool run_ours_guarded(Passage& passage) noexcept {
    try {
        return run_ours(passage);
    } catch (...) { // out of memory, in the middle: as far as MPI is concerned, this call failed
        passage.code = MPI_ERR_NO_MEM;
        return true;
    }
}

int run_native(Passage& passage, const Host& host) {
    auto start = Clock::now();
    int code = call_native(host, passage.call);
    passage.record.exchange = Clock::now() - start;
    end_record(passage);
    return code;
}

// On this communicator nothing but native can be: at most a record is due.
int run_always_native(Passage&& passage, const Host& host) {
    begin_record(passage);
    int code = call_native(host, passage.call);
    // What is passed over here may still differ from call to call; the log says what and why.
    const auto& plan = passage.plan->policy();
    if (plan.candidates.size() > 1) passage.match = policy::choose(plan, features_of(passage));
    end_record(passage);
    return code;
}

} // namespace

int route(const Host& host, const CallArgs& call) {
    Process* self = process();
    if (self == nullptr) return call_native(host, call);
    CommState* state = CommState::of(call.comm, *self);
    if (state == nullptr) return call_native(host, call);
    Plan& plan = state->plan(call.collective, call.in_place() ? Buffers::in_place : Buffers::separate);
    bool logs = self->recording.load(std::memory_order_relaxed);
    if (plan.always_native() && !logs) {
        state->count(false);
        return call_native(host, call);
    }

    auto measured = measure(call, *state);
    if (!measured.valid) return call_native(host, call); // an error, and MPI's to report
    if (plan.always_native()) {
        state->count(false);
        return run_always_native({*self, call, *state, &plan, measured, logs}, host);
    }
    Passage passage{*self, call, *state, &plan, measured, logs};
    begin_record(passage);
    bool ours = run_ours_guarded(passage);
    state->count(ours);
    if (!ours) return run_native(passage, host);
    end_record(passage);
    if (passage.code == MPI_SUCCESS) return MPI_SUCCESS;
    PMPI_Comm_call_errhandler(call.comm, passage.code);
    return passage.code;
}

} // namespace switchyard::shim
