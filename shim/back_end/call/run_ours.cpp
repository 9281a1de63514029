#include "run_ours.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "packing.hpp"
#include "shim/back_end/process/clock.hpp"

#include <algorithm>

namespace switchyard::shim {

namespace {

// The last candidate, native, takes the call instead of the one that matched.
policy::Match native_instead(const policy::Match& match, const Plan& plan, policy::PassedOver why) {
    return {plan.shortlist().candidates.size() - 1, match.candidate, why};
}

// The first choice whose memory is available on all ranks. Everything here is the same
// on all ranks, or agreed.
policy::Match choose(const CallContext& context, const Agreed& agreed, bool in_place) {
    auto& resources = *context.state.resources();
    const auto& plan = *agreed.plan;
    const auto features = features_of(context, agreed, in_place, plan.shortlist());
    auto match = policy::choose(plan.shortlist(), features);
    if (agreed.facts.not_ready && !plan.choice(match).algorithm->native)
        return native_instead(match, plan, policy::PassedOver::scratch_does_not_fit);
    while (!resources.reserve_for(plan.choice(match), features))
        match = policy::choose(plan.shortlist(), features, match.candidate + 1);
    return match;
}

bool takes_overlap(const policy::Choice& choice) {
    return choice.algorithm->has(algorithms::takes_overlap);
}

// If some algorithm works in place, what has to be packed depends on the choice.
bool packs_after_choice(const policy::Shortlist& shortlist) {
    return shortlist.looks_at_overlap || std::ranges::any_of(shortlist.candidates, [](const auto& candidate) {
               return takes_overlap(candidate.choice);
           });
}

// The same on all ranks.
bool can_map(CommState& state, const Agreed& agreed, const policy::Choice& choice) {
    using enum device::DeviceWindow::Readiness;
    if (!agreed.facts.on_device || choice.transfer != policy::Transfer::ipc ||
        agreed.facts.mapping == unable || state.resources()->window == nullptr)
        return false;
    return agreed.facts.mapping == ready ||
           state.devices().window(state.ranks()).renew(state.resources()->group);
}

// Host memory for this rank's device buffers. False: some rank has none, and all ranks know.
bool can_stage(CommState& state, const Agreed& agreed, const policy::Choice& choice) {
    if (!agreed.facts.on_device || choice.transfer == policy::Transfer::direct) return true;
    return state.devices().reserve_staging(agreed.facts.staging_bytes, state.resources()->group.comm);
}

// Chooses, and falls back to native if some rank lacks the memory that the choice needs.
Decision decide(const CallContext& context, const Agreed& agreed, bool in_place, bool packs_later,
                Packing& packing) {
    auto& state = context.state;
    Decision decision{agreed.plan, choose(context, agreed, in_place)};
    if (packs_later && !decision.is_native()) {
        if (takes_overlap(decision.choice())) packing.allow_overlap();
        if (!algorithms::all_agree(packing.reserve(), state.resources()->group.comm))
            decision.match =
                native_instead(decision.match, *decision.plan, policy::PassedOver::scratch_does_not_fit);
    }
    if (decision.is_native()) return decision;
    decision.is_mapped = can_map(state, agreed, decision.choice());
    if (!decision.is_mapped && !can_stage(state, agreed, decision.choice()))
        decision.match =
            native_instead(decision.match, *decision.plan, policy::PassedOver::no_staging_memory);
    return decision;
}

// Whether this rank's device pointers go to MPI as they are. A rank that packs bytes itself stages them.
bool takes_device_pointers(const Agreed& agreed, const Packing& packing, const policy::Choice& choice) {
    return agreed.together && !agreed.facts.unaware && !packing.packs() &&
           choice.transfer == policy::Transfer::direct;
}

void note_traffic(const CallContext& context, log::CallRecord& record) {
    auto traffic = context.state.resources()->wire.traffic();
    if (auto& window = context.state.resources()->window) traffic.add_sent(window->take_traffic());
    record.messages = traffic.messages;
    record.wire_bytes = traffic.bytes;
    record.rounds = traffic.rounds;
    record.has_nodes = context.state.nodes() > 1;
    record.messages_inter = traffic.messages_inter;
    record.wire_bytes_inter = traffic.bytes_inter;
}

// While it lives, the phases of the algorithm are timed, if the log is to say them.
class PhasesTimed {
  public:
    PhasesTimed(const CallContext& context, algorithms::Wire& wire, log::CallRecord& record)
        : wire_(wire), record_(record) {
        if (!context.logs || !context.self.times_phases) return;
        wire.tell_phases(&times_.emplace([] { return static_cast<std::int64_t>(Clock::now()); }));
    }
    PhasesTimed(const PhasesTimed&) = delete;
    PhasesTimed& operator=(const PhasesTimed&) = delete;
    ~PhasesTimed() {
        if (!times_) return;
        wire_.end_phases();
        wire_.tell_phases(nullptr);
        record_.has_phases = times_->has_phases();
        static_assert(algorithms::phase_count == 8); // fields.def has each
#define SWITCHYARD_INSIDE(name, slot, place) record_.name = times_->of(algorithms::Phase::name);
#include "shim/common/log/fields.def"
    }

  private:
    algorithms::Wire& wire_;
    log::CallRecord& record_;
    std::optional<algorithms::PhaseTimes> times_;
};

// Runs the algorithm on bytes that the host can touch, or that only MPI can touch. `staged`: this rank's
// copies of device buffers.
int exchange(const CallContext& context, const policy::Choice& choice, const algorithms::Exchange& blocks,
             DeviceCall* staged, bool has_begun, log::CallRecord& record) {
    auto& resources = *context.state.resources();
    resources.wire.reset();
    const auto limit = choice.in_flight_limit > 0 ? choice.in_flight_limit : resources.in_flight_limit;
    resources.wire.limit_batch(
        static_cast<int>(std::min<std::uint64_t>(limit, algorithms::Wire::largest_batch)));
    if (staged != nullptr && choice.algorithm->has(algorithms::moves_by_mpi_alone))
        staged->watch_completions(resources.wire, choice.chunk_bytes);
    algorithms::Context means{choice.parameters,      resources.workspace,  resources.wire,
                              resources.window.get(), resources.schedule(), has_begun};
    const PhasesTimed timed(context, resources.wire, record);
    const auto status = algorithms::algorithm_of(*choice.algorithm).run(blocks, means);
    resources.wire.tell(nullptr);
    return algorithms::mpi_code_of(status);
}

// Exchanges between the memory of GPUs. Nothing is packed.
int exchange_mapped(const CallContext& context, const algorithms::Exchange& blocks) {
    auto& resources = *context.state.resources();
    resources.wire.reset();
    return algorithms::mpi_code_of(
        context.state.devices().window(context.state.ranks()).exchange(blocks, *resources.window));
}

// The first error of several.
class FirstError {
  public:
    void keep(int code) {
        if (code_ == MPI_SUCCESS) code_ = code;
    }
    int code() const { return code_; }

  private:
    int code_ = MPI_SUCCESS;
};

// Copies from the device, packs, exchanges, unpacks, copies to the device; an MPI error code. The other ranks
// wait for this rank's messages, so a failed copy is reported only at the end.
int run_chosen(const CallContext& context, const Decision& decision, const Agreed& agreed, Packing& packing,
               DeviceCall* device, log::CallRecord& record) {
    const auto& choice = decision.choice();
    const bool is_on_device = device != nullptr && device->is_on_device();
    const bool by_device_pointers = is_on_device && takes_device_pointers(agreed, packing, choice);
    DeviceCall* staged = is_on_device && !by_device_pointers && !decision.is_mapped ? device : nullptr;
    record.is_staged = staged != nullptr;
    record.is_mapped = decision.is_mapped;
    FirstError error;
    auto begin = Clock::now();
    if (staged != nullptr) {
        if (!staged->staging().copy_in()) error.keep(MPI_ERR_BUFFER);
        packing.move(staged->send_distance(), staged->recv_distance());
        record.copy_in = Clock::now() - begin;
    }
    begin = Clock::now();
    error.keep(agreed.loading ? *agreed.loading : packing.load());
    if (by_device_pointers) {
        const auto own = packing.take_own_block();
        if (!own.fits) error.keep(MPI_ERR_TRUNCATE);
        if (!device->copy(own)) error.keep(MPI_ERR_BUFFER);
    }
    const auto loaded = Clock::now();
    const auto blocks = packing.exchange(agreed.max_block);
    error.keep(decision.is_mapped ? exchange_mapped(context, blocks)
                                  : exchange(context, choice, blocks, staged, agreed.has_begun, record));
    const auto exchanged = Clock::now();
    error.keep(packing.unload());
    const auto unloaded = Clock::now();
    if (staged != nullptr && !staged->staging().copy_out()) error.keep(MPI_ERR_BUFFER);
    record.stage = loaded - begin + (unloaded - exchanged);
    record.exchange = exchanged - loaded;
    if (staged != nullptr) record.copy_out = Clock::now() - unloaded;
    note_traffic(context, record);
    return error.code();
}

// What the log says about an agreement.
void note_agreement(const Agreed& agreed, log::CallRecord& record) {
    record.agree = agreed.elapsed;
    if (!agreed.together) return;
    record.max_block = agreed.max_block;
    record.on_device = record.on_device || agreed.facts.on_device;
    record.in_place = record.in_place || agreed.facts.overlapping;
}

// Programs repeat similar calls.
void expect_alike(CommResources& resources, const Plan& plan, const Agreed& agreed, const Decision& decision,
                  bool packs_later) {
    const auto& choice = decision.choice();
    const bool goes_ahead = agreed.together && !packs_later && decision.plan == &plan &&
                            choice.algorithm->has(algorithms::shared_memory) &&
                            !algorithms::traits_of(plan.collective()).is_among_neighbors &&
                            !sends_directly(choice.parameters) && !choice.barrier_before;
    resources.ahead = {goes_ahead ? &plan : nullptr, 2 * agreed.max_block};
}

// MPI refuses every collective of such a communicator on all ranks, so a rank whose exchange
// went well misses nothing.
void leave_to_mpi(Outcome& outcome) {
    outcome.is_over = false;
    outcome.code = MPI_SUCCESS;
    auto& decision = outcome.decision;
    decision.match = native_instead(decision.match, *decision.plan, policy::PassedOver::rank_lost);
}

// May throw if memory runs out; `outcome` then says what was decided so far.
void agree_and_run(const CallContext& context, log::CallRecord& record, std::optional<DeviceCall>& device,
                   Outcome& outcome) {
    auto& resources = *context.state.resources();
    auto& plan = *outcome.decision.plan;
    if (resources.are_lost()) return leave_to_mpi(outcome);
    resources.workspace.reserve(0);
    bool has_memory = look_at_buffers(context, device, record);
    DeviceCall* const buffers = device ? &*device : nullptr;
    if (algorithms::traits_of(context.call.collective).is_among_neighbors)
        resources.group.neighborhood = &context.state.neighborhood(context.call.collective);
    Packing packing(context.call, resources, context.state.peers(context.call.collective),
                    context.state.types());
    if (packing.has_uncommitted_type()) {
        outcome.is_refused = true;
        return;
    }
    const bool packs_later = packs_after_choice(plan.shortlist());
    if (!packs_later && !packing.reserve()) has_memory = false;

    const auto agreed = agree_where_needed(context, plan, packing, buffers, has_memory);
    note_agreement(agreed, record);
    outcome.decision.plan = agreed.plan;
    outcome.code = agreed.code;
    outcome.is_reported = agreed.is_reported;
    if (agreed.code != MPI_SUCCESS) {
        if (!agreed.is_reported && resources.are_lost()) leave_to_mpi(outcome);
        return;
    }
    record.has_detail = true;

    outcome.decision = decide(context, agreed, record.in_place, packs_later, packing);
    if (outcome.decision.choice().barrier_before) PMPI_Barrier(context.call.comm); // the user asks for it
    expect_alike(resources, plan, agreed, outcome.decision, packs_later);
    outcome.is_over = !outcome.decision.is_native();
    if (!outcome.is_over) return;
    if (has_memory && buffers != nullptr && buffers->is_on_device() && !outcome.decision.is_mapped)
        has_memory = buffers->staging().reserve();
    outcome.code = has_memory ? run_chosen(context, outcome.decision, agreed, packing, buffers, record)
                              : MPI_ERR_NO_MEM; // nothing was agreed, so the other ranks have gone on
    if (outcome.code != MPI_SUCCESS && resources.are_lost()) leave_to_mpi(outcome);
}

// What the ranks agreed on, or every rank knows.
void set_totals(policy::Features& features, const CallContext& context, const Agreed& agreed) {
    const auto& traits = algorithms::traits_of(features.collective);
    if (!traits.block_is_known()) {
        features.total_bytes = agreed.facts.total_bytes;
        features.skew = agreed.facts.skew;
        return;
    }
    const auto blocks = static_cast<std::uint64_t>(context.state.blocks());
    features.total_bytes = agreed.max_block * others_of(context);
    if (features.mean_block_bytes)
        features.skew = policy::skew_of(agreed.max_block, blocks, *features.mean_block_bytes * blocks);
}

} // namespace

policy::Features features_of(const CallContext& context, const Agreed& agreed, bool in_place,
                             const policy::Shortlist& shortlist) {
    policy::Features features;
    features.collective = context.call.collective;
    features.in_place = in_place;
    features.ranks = context.state.ranks();
    features.nodes = context.state.nodes();
    features.ranks_per_node = context.state.ranks_per_node();
    features.max_block_bytes = agreed.max_block;
    const auto& traits = algorithms::traits_of(features.collective);
    if (traits.sends_one_block() && traits.block_is_known())
        features.mean_block_bytes = context.measured.mean_block;
    if (shortlist.looks_at_totals) set_totals(features, context, agreed);
    features.buffer = agreed.facts.on_device ? policy::Buffer::device : policy::Buffer::host;
    features.overlapping = agreed.facts.overlapping;
    features.gpu_aware = !agreed.facts.unaware;
    features.ipc = agreed.facts.mapping != device::DeviceWindow::Readiness::unable;
    features.staging_bytes = agreed.facts.staging_bytes;
    return features;
}

Outcome run_ours(const CallContext& context, Plan& plan, log::CallRecord& record,
                 std::optional<DeviceCall>& device) noexcept {
    Outcome outcome{.decision = {&plan}, .is_over = true};
    try {
        agree_and_run(context, record, device, outcome);
    } catch (...) { // out of memory in the middle: as far as MPI is concerned, this call failed
        outcome.is_over = true;
        outcome.code = MPI_ERR_NO_MEM;
    }
    return outcome;
}

} // namespace switchyard::shim
