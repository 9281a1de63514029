#include "route.hpp"

#include "agreement.hpp"
#include "choose_adaptively.hpp"
#include "device_call.hpp"
#include "shim/back_end/communicator/book.hpp"
#include "shim/back_end/communicator/comm_state.hpp"
#include "shim/back_end/process/process.hpp"
#include "stage.hpp"

#include <algorithm>
#include <optional>

namespace switchyard::shim {

namespace {

// A call on its way: what was found out about it and how long each part took.
struct Passage {
    Process& self;
    const CallArgs& call;
    CommState& state;
    Plan* plan;
    Measure measured;
    bool logs;                          // decided once: a call is recorded whole or not at all
    std::optional<DeviceCall> device{}; // where this process can have device memory
    Facts agreed{};                     // this rank's alone where nothing was agreed
    bool did_agree = false, rests = false;
    log::CallRecord record{};
    policy::Match match{};
    int code = MPI_SUCCESS; // of a routed call

    bool is_on_device() const { return device && device->is_on_device(); }
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

// In a process that can have device memory: where the buffers of this call are. False: no memory to tell.
bool look_at_buffers(Passage& passage) noexcept {
    if (!passage.self.devices.are_here(passage.record.begin)) return true;
    try {
        passage.device.emplace(passage.call, passage.state, passage.self);
    } catch (...) {
        return false;
    }
    passage.record.on_device = passage.device->is_on_device();
    return true;
}

policy::Features features_of(const Passage& passage) {
    policy::Features features;
    features.collective = passage.call.collective;
    features.in_place = passage.record.in_place;
    features.ranks = passage.state.ranks();
    features.nodes = passage.state.nodes();
    features.ranks_per_node = passage.state.ranks_per_node();
    features.max_block_bytes = passage.measured.max_block;
    features.buffer = passage.agreed.on_device ? policy::Buffer::device : policy::Buffer::host;
    features.overlapping = passage.agreed.overlapping;
    features.gpu_aware = !passage.agreed.unaware;
    features.staging_bytes = passage.agreed.staging_bytes;
    return features;
}

// Native, since some rank has no memory for what would be packed or staged.
policy::Match no_memory_for(const policy::Match& match, const policy::Shortlist& plan,
                            policy::PassedOver why = policy::PassedOver::scratch_does_not_fit) {
    return {plan.candidates.size() - 1, match.candidate, why};
}

// Among the candidates of an adaptive use.
policy::Match choose_adaptively(Passage& passage, const policy::Match& match,
                                const policy::Features& features) {
    const auto answer =
        adaptive::choose({passage.state, *passage.plan, match, features, passage.did_agree, passage.rests});
    passage.record.agree += answer.agree;
    return answer.match;
}

// Says so of a call that was to run one of those.
policy::Match give_up(Passage& passage, policy::PassedOver why) {
    if (auto* book = passage.state.book()) book->cancel();
    return no_memory_for(passage.match, passage.plan->policy(), why);
}

// How long the application waited in the call, but for an agreement that it has with any candidate.
void note_time(Passage& passage, int code) {
    auto* book = passage.state.book();
    if (book == nullptr || !book->is_running()) return;
    const auto& record = passage.record;
    const auto not_counted = book->pays_for_agreement() ? 0 : record.agree;
    book->end(code == MPI_SUCCESS ? Clock::now() - record.begin - not_counted : adaptive::no_time);
}

// The first choice whose memory can be had on all ranks. Everything here is the same on all ranks, or agreed.
policy::Match choose(Passage& passage, const policy::Features& features) {
    auto& rails = *passage.state.rails();
    const auto& plan = passage.plan->policy();
    auto match = policy::choose(plan, features);
    const auto is_adaptive = [&] { return plan.candidates[match.candidate].adaptive.has_value(); };
    if (passage.agreed.not_ready && (is_adaptive() || !passage.plan->choice(match).algorithm->native))
        return no_memory_for(match, plan);
    while (!is_adaptive() && !rails.reserve_for(passage.plan->choice(match), features))
        match = policy::choose(plan, features, match.candidate + 1);
    return is_adaptive() ? choose_adaptively(passage, match, features) : match;
}

// What this rank knows of its device buffers by itself.
void note_devices(Passage& passage) {
    auto& facts = passage.agreed;
    facts.has_driver = true;
    facts.on_device = passage.device->is_on_device();
    facts.unaware = facts.on_device && !passage.device->mpi_takes_them();
    facts.staging_bytes = passage.device->staging_bytes();
}

// What it tells the others.
void note_facts(Passage& passage, Stage& stage, bool ready) {
    auto& facts = passage.agreed;
    facts.max_block = passage.measured.max_block;
    facts.not_ready = !ready;
    facts.overlapping = passage.plan->policy().looks_at_overlap && stage.overlaps();
    if (const auto* book = passage.state.book()) facts.owed = book->owed();
    if (!passage.device) return;
    note_devices(passage);
    facts.unusable = !passage.device->is_readable();
}

// Agrees with the other ranks on what the plan looks at. In alltoall and allgather MPI itself guarantees that
// all ranks have the same block. What nobody was asked about is as if there were no devices: no rule that is
// left looks at that.
int agree_where_needed(Passage& passage, Stage& stage, bool ready) {
    const auto& plan = passage.plan->policy();
    auto& record = passage.record;
    auto* book = passage.state.book();
    const bool is_vector = passage.call.collective == Collective::alltoallv;
    // Not where devices may be: a rank whose buffer cannot be read leaves early and would count one call less.
    passage.rests = book != nullptr && !passage.state.may_have_devices() && book->rests(*passage.plan);
    const bool is_needed =
        plan.looks_at_buffer || (is_vector && (plan.looks_at_block || plan.looks_at_overlap));
    if (!is_needed || passage.rests) {
        if (passage.device && !passage.device->is_readable()) return MPI_ERR_BUFFER;
        return MPI_SUCCESS;
    }
    auto start = Clock::now();
    note_facts(passage, stage, ready);
    const About about{passage.state.may_have_devices(), book != nullptr};
    const bool is_usable = !passage.agreed.unusable;
    const int code = agree(passage.agreed, about, *passage.state.rails());
    record.agree = Clock::now() - start;
    if (code != MPI_SUCCESS) return code;
    passage.did_agree = true;
    const auto& agreed = passage.agreed;
    if (book != nullptr) book->tell(agreed.owed);
    if (is_vector) record.max_block = passage.measured.max_block = agreed.max_block;
    if (agreed.has_driver) passage.state.meet_devices();
    record.on_device = record.on_device || agreed.on_device;
    record.in_place = record.in_place || agreed.overlapping;
    passage.plan =
        &passage.state.plan(passage.call.collective, agreed.overlapping        ? Buffers::overlapping
                                                     : passage.call.in_place() ? Buffers::in_place
                                                                               : Buffers::separate);
    return agreed.unusable || !is_usable ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

bool may_take_overlap(const policy::Shortlist& plan) {
    return plan.looks_at_overlap ||
           std::any_of(plan.candidates.begin(), plan.candidates.end(), [](const policy::Candidate& c) {
               return c.choice.algorithm->has(algorithms::takes_overlap);
           });
}

// Whether this rank's device pointers go to MPI as they are. A rank that has bytes to pack itself stages them.
bool goes_direct(const Passage& passage, const Stage& stage) {
    return passage.did_agree && !passage.agreed.unaware && !stage.packs() &&
           passage.plan->choice(passage.match).transfer == policy::Transfer::direct;
}

// Host memory for this rank's device buffers. False: not to be had on some rank, as all of them know.
bool can_stage(Passage& passage, const policy::Choice& choice) {
    if (!passage.agreed.on_device || choice.transfer == policy::Transfer::direct) return true;
    return passage.state.reserve_staging(passage.agreed.staging_bytes);
}

void note_traffic(Passage& passage) {
    const auto& traffic = passage.state.rails()->wire.traffic();
    auto& record = passage.record;
    record.messages = traffic.messages;
    record.wire_bytes = traffic.bytes;
    record.rounds = traffic.rounds;
    record.has_nodes = passage.state.nodes() > 1;
    record.messages_inter = traffic.messages_inter;
    record.wire_bytes_inter = traffic.bytes_inter;
}

// The algorithm on bytes that the host can touch, or that only MPI can.
int exchange(Passage& passage, Stage& stage) {
    auto& rails = *passage.state.rails();
    const auto& choice = passage.plan->choice(passage.match);
    rails.wire.reset();
    if (passage.record.is_staged && choice.algorithm->has(algorithms::moves_by_mpi_alone))
        passage.device->watch_landings(rails.wire, choice.chunk_bytes);
    algorithms::Context context{choice.parameters, rails.workspace, rails.wire, rails.window.get()};
    const auto status =
        algorithms::algorithm_of(*choice.algorithm).run(stage.exchange(passage.measured.max_block), context);
    rails.wire.tell(nullptr);
    return status.code;
}

// A failed copy is this rank's trouble: the others wait for its messages, so it goes on and says so at its end.
int run_chosen(Passage& passage, Stage& stage) {
    auto& record = passage.record;
    const bool is_direct = passage.is_on_device() && goes_direct(passage, stage);
    record.is_staged = passage.is_on_device() && !is_direct;
    auto begin = Clock::now();
    int code = MPI_SUCCESS;
    const auto keep = [&code](int later) {
        if (code == MPI_SUCCESS) code = later;
    };
    if (record.is_staged) {
        if (!passage.device->staging().copy_in()) keep(MPI_ERR_BUFFER);
        stage.move(passage.device->send_distance(), passage.device->recv_distance());
        record.copy_in = Clock::now() - begin;
    }
    begin = Clock::now();
    if (const int loaded = stage.load(); loaded != MPI_SUCCESS) return loaded;
    if (is_direct) {
        const auto own = stage.take_own_block();
        if (!own.fits) keep(MPI_ERR_TRUNCATE);
        if (!passage.device->copy(own)) keep(MPI_ERR_BUFFER);
    }
    auto loaded = Clock::now();
    keep(exchange(passage, stage));
    auto exchanged = Clock::now();
    keep(stage.unload());
    auto unloaded = Clock::now();
    if (record.is_staged && !passage.device->staging().copy_out()) keep(MPI_ERR_BUFFER);
    record.stage = loaded - begin + (unloaded - exchanged);
    record.exchange = exchanged - loaded;
    if (record.is_staged) record.copy_out = Clock::now() - unloaded;
    note_traffic(passage);
    return code;
}

// Everything up to the choice. True: an algorithm of ours takes the call and is done with it. False: native.
bool run_ours(Passage& passage) {
    auto& rails = *passage.state.rails();
    rails.workspace.reserve(0);
    bool ready = look_at_buffers(passage);
    Stage stage(passage.call, passage.state, passage.self.datatype_keyval);
    // What has to be packed depends on the algorithm where one of them works in place: then it comes first.
    const bool choice_first = may_take_overlap(passage.plan->policy());
    ready = (choice_first || stage.reserve()) && ready;
    passage.code = agree_where_needed(passage, stage, ready);
    if (passage.code != MPI_SUCCESS) return true; // on all ranks, or the communicator is broken
    passage.record.has_detail = true;

    passage.match = choose(passage, features_of(passage));
    if (choice_first && !passage.plan->choice(passage.match).algorithm->native) {
        if (passage.plan->choice(passage.match).algorithm->has(algorithms::takes_overlap))
            stage.allow_overlap();
        if (!all_agree(stage.reserve(), rails.group.comm))
            passage.match = give_up(passage, policy::PassedOver::scratch_does_not_fit);
    }
    const auto* choice = &passage.plan->choice(passage.match);
    if (!choice->algorithm->native && !can_stage(passage, *choice)) {
        passage.match = give_up(passage, policy::PassedOver::no_staging_memory);
        choice = &passage.plan->choice(passage.match);
    }
    if (choice->algorithm->native) return false;

    if (ready && passage.is_on_device()) ready = passage.device->staging().reserve();
    if (!ready) { // nothing was agreed, so the others are on their way already
        passage.code = MPI_ERR_NO_MEM;
        return true;
    }
    passage.code = run_chosen(passage, stage);
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

// A native call gets device pointers as they are where the MPI takes them, or where nobody knows better.
bool stages_native(const Passage& passage) {
    if (!passage.is_on_device()) return false;
    const auto& choice = passage.plan->choice(passage.match);
    if (choice.transfer) return *choice.transfer == policy::Transfer::staged;
    return passage.device->is_out_of_reach() && !passage.device->mpi_takes_them();
}

// MPI's own collective on copies; what it returns. What goes wrong with the copies is left in passage.code.
int call_native_on_copies(Passage& passage, const Host& host) {
    auto& staging = passage.device->staging();
    auto& record = passage.record;
    if (!staging.reserve()) return passage.code = MPI_ERR_NO_MEM;
    record.is_staged = record.has_detail = true;
    const auto start = Clock::now();
    const bool copied_in = staging.copy_in();
    const auto copied = Clock::now();
    int code = call_native(host, passage.device->on_copies());
    const auto exchanged = Clock::now();
    if ((!staging.copy_out() || !copied_in) && code == MPI_SUCCESS) code = passage.code = MPI_ERR_BUFFER;
    record.copy_in = copied - start;
    record.exchange = exchanged - copied;
    record.copy_out = Clock::now() - exchanged;
    return code;
}

int run_native(Passage& passage, const Host& host) {
    int code = MPI_SUCCESS;
    if (stages_native(passage)) {
        code = call_native_on_copies(passage, host);
    } else {
        auto start = Clock::now();
        code = call_native(host, passage.call);
        passage.record.exchange = Clock::now() - start;
    }
    note_time(passage, code);
    end_record(passage);
    if (passage.code != MPI_SUCCESS) PMPI_Comm_call_errhandler(passage.call.comm, passage.code);
    return code;
}

// On this communicator nothing but native can be: at most a record is due.
int run_always_native(Passage&& passage, const Host& host) {
    begin_record(passage);
    look_at_buffers(passage); // without memory for that MPI gets the call as it came
    if (passage.device) note_devices(passage);
    const auto choose_again = [&passage] {
        const auto& plan = passage.plan->policy();
        if (plan.candidates.size() > 1) passage.match = policy::choose(plan, features_of(passage));
    };
    if (passage.is_on_device()) {
        choose_again();
        return run_native(passage, host);
    }
    int code = call_native(host, passage.call);
    choose_again(); // what is passed over may still differ from call to call; the log says what and why
    end_record(passage);
    return code;
}

} // namespace

int route(const Host& host, const CallArgs& call) {
    Process* self = process();
    if (self == nullptr) return call_native(host, call);
    CommState* state = CommState::of(call.comm, *self);
    if (state == nullptr) return call_native(host, call);
    state->look_for_devices(*self);
    Plan& plan = state->plan(call.collective, call.in_place() ? Buffers::in_place : Buffers::separate);
    bool logs = self->recording.load(std::memory_order_relaxed);
    if (plan.always_native() && !logs && !self->devices.are_here(device::Devices::coarse_now())) {
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
    note_time(passage, passage.code);
    end_record(passage);
    if (passage.code == MPI_SUCCESS) return MPI_SUCCESS;
    PMPI_Comm_call_errhandler(call.comm, passage.code);
    return passage.code;
}

} // namespace switchyard::shim
