#include "routed_call.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "choose.hpp"
#include "fast_path.hpp"
#include "packing.hpp"
#include "run_native.hpp"
#include "shim/back_end/process/clock.hpp"

#include <algorithm>
#include <optional>

namespace switchyard::shim {

namespace {

// While it lives, the phases of the algorithm are timed, if the log is to say them.
class PhasesTimed {
  public:
    PhasesTimed(const CallContext& context, algorithms::Meter& meter, log::CallRecord& record)
        : meter_(meter), record_(record) {
        if (!context.logs || !context.self.times_phases) return;
        meter.tell_phases(&times_.emplace([] { return static_cast<std::int64_t>(Clock::now()); }));
    }
    PhasesTimed(const PhasesTimed&) = delete;
    PhasesTimed& operator=(const PhasesTimed&) = delete;
    ~PhasesTimed() {
        if (!times_) return;
        meter_.end_phases();
        meter_.tell_phases(nullptr);
        record_.has_phases = times_->has_phases();
        static_assert(algorithms::phase_count == 8); // fields.def has each
#define SWITCHYARD_INSIDE(name, slot, place) record_.name = times_->of(algorithms::Phase::name);
#include "shim/common/log/fields.def"
    }

  private:
    algorithms::Meter& meter_;
    log::CallRecord& record_;
    std::optional<algorithms::PhaseTimes> times_;
};

class RoutedCall {
  public:
    RoutedCall(const CallContext& context, Plan& plan)
        : context_(context), resources_(*context.state.resources()),
          record_(begin_record(context)), decision_{&plan} {}

    int go() {
        try {
            if (prepare() && agree() && choose() && has_memory()) {
                load();
                run();
                unload();
            }
        } catch (...) { // out of memory in the middle: as far as MPI is concerned, this call failed
            end_ = End::ours;
            code_ = MPI_ERR_NO_MEM;
        }
        return record();
    }

  private:
    // Who takes the call to its end. MPI, in the log or without a word: it refuses the arguments.
    enum class End : std::uint8_t { ours, native, refused };

    bool prepare();
    bool agree();
    bool choose();
    bool has_memory();
    void load();
    void run();
    void unload();
    int record();

    // The first error of several. The other ranks wait for this rank's messages, so it is reported only at the end.
    void keep(int code) {
        if (code_ == MPI_SUCCESS) code_ = code;
    }
    DeviceCall* device() { return device_ ? &*device_ : nullptr; }
    bool is_on_device() const { return device_ && device_->is_on_device(); }
    bool takes_device_pointers() const;
    bool leave_to_mpi();
    void expect_alike(const Plan& plan);
    int exchange(const algorithms::Exchange& blocks);
    void note_traffic();

    const CallContext& context_;
    CommResources& resources_;
    log::CallRecord record_;
    Decision decision_;
    Agreed agreed_;
    std::optional<DeviceCall> device_; // where this process can have device memory
    DeviceCall* staged_ = nullptr;     // this rank's copies of device buffers
    std::optional<Packing> packing_;
    bool has_memory_ = true, packs_later_ = false;
    std::uint64_t loaded_ = 0, exchanged_ = 0; // by Clock
    End end_ = End::ours;
    int code_ = MPI_SUCCESS;   // of a call that is ours
    bool is_reported_ = false; // else an error is ours to report
};

// Where the buffers are, and what has to be packed. False: MPI takes the call.
bool RoutedCall::prepare() {
    if (resources_.are_lost()) return leave_to_mpi();
    resources_.workspace.reserve(0);
    has_memory_ = look_at_buffers(context_, device_, record_);
    const auto& call = context_.call;
    if (algorithms::traits_of(call.collective).is_among_neighbors)
        resources_.group.neighborhood = &context_.state.neighborhood(call.collective);
    packing_.emplace(call, resources_, context_.state.peers(call.collective), context_.state.types());
    if (packing_->has_uncommitted_type()) {
        end_ = End::refused;
        return false;
    }
    packs_later_ = packs_after_choice(decision_.plan->shortlist());
    if (!packs_later_ && !packing_->reserve()) has_memory_ = false;
    return true;
}

// False: the call failed, or MPI takes it.
bool RoutedCall::agree() {
    agreed_ = agree_where_needed(context_, *decision_.plan, *packing_, device(), has_memory_);
    record_.agree = agreed_.elapsed;
    if (agreed_.together) {
        record_.max_block = agreed_.max_block;
        record_.on_device = record_.on_device || agreed_.facts.on_device;
        record_.in_place = record_.in_place || agreed_.facts.overlapping;
    }
    code_ = agreed_.code;
    is_reported_ = agreed_.is_reported;
    if (code_ == MPI_SUCCESS) return true;
    decision_.plan = agreed_.plan;
    return !is_reported_ && resources_.are_lost() && leave_to_mpi();
}

// False: MPI takes the call.
bool RoutedCall::choose() {
    record_.has_detail = true;
    const Plan& plan = *decision_.plan;
    decision_.plan = agreed_.plan;
    decision_ = shim::choose(context_, agreed_, record_.in_place, packs_later_, *packing_);
    if (decision_.choice().barrier_before) PMPI_Barrier(context_.call.comm); // the user asks for it
    expect_alike(plan);
    if (decision_.is_native()) end_ = End::native;
    return !decision_.is_native();
}

// Programs repeat similar calls.
void RoutedCall::expect_alike(const Plan& plan) {
    const auto& choice = decision_.choice();
    const bool goes_ahead = agreed_.together && !packs_later_ && decision_.plan == &plan &&
                            choice.algorithm->has(algorithms::shared_memory) &&
                            !algorithms::traits_of(plan.collective()).is_among_neighbors &&
                            !sends_directly(choice.parameters) && !choice.barrier_before;
    resources_.ahead = {goes_ahead ? &plan : nullptr, 2 * agreed_.max_block};
}

// False: nothing was agreed, so the other ranks go on without this rank.
bool RoutedCall::has_memory() {
    if (has_memory_ && is_on_device() && !decision_.is_mapped) has_memory_ = device_->staging().reserve();
    if (!has_memory_) code_ = MPI_ERR_NO_MEM;
    return has_memory_ || (resources_.are_lost() && leave_to_mpi());
}

// Whether this rank's device pointers go to MPI as they are. A rank that packs bytes itself stages them.
bool RoutedCall::takes_device_pointers() const {
    return is_on_device() && agreed_.together && !agreed_.facts.unaware && !packing_->packs() &&
           decision_.choice().transfer == policy::Transfer::direct;
}

// Copies from the device, and packs.
void RoutedCall::load() {
    const bool by_device_pointers = takes_device_pointers();
    if (is_on_device() && !by_device_pointers && !decision_.is_mapped) staged_ = &*device_;
    record_.is_staged = staged_ != nullptr;
    record_.is_mapped = decision_.is_mapped;
    auto begin = Clock::now();
    if (staged_ != nullptr) {
        if (!staged_->staging().copy_in()) keep(MPI_ERR_BUFFER);
        packing_->move(staged_->send_distance(), staged_->recv_distance());
        record_.copy_in = Clock::now() - begin;
        begin += record_.copy_in;
    }
    keep(agreed_.loading ? *agreed_.loading : packing_->load());
    if (by_device_pointers) {
        const auto own = packing_->take_own_block();
        if (!own.fits) keep(MPI_ERR_TRUNCATE);
        if (!device_->copy(own)) keep(MPI_ERR_BUFFER);
    }
    loaded_ = Clock::now();
    record_.stage = loaded_ - begin;
}

void RoutedCall::run() {
    const auto blocks = packing_->exchange(agreed_.max_block);
    resources_.wire.reset();
    keep(decision_.is_mapped ? algorithms::mpi_code_of(context_.state.devices()
                                                           .window(context_.state.ranks())
                                                           .exchange(blocks, *resources_.window))
                             : exchange(blocks));
    exchanged_ = Clock::now();
    record_.exchange = exchanged_ - loaded_;
}

// Runs the algorithm on bytes that the host can touch, or that only MPI can touch.
int RoutedCall::exchange(const algorithms::Exchange& blocks) {
    const auto& choice = decision_.choice();
    auto& wire = resources_.wire;
    const auto limit = choice.in_flight_limit > 0 ? choice.in_flight_limit : resources_.in_flight_limit;
    wire.limit_batch(static_cast<int>(std::min<std::uint64_t>(limit, algorithms::Wire::largest_batch)));
    if (staged_ != nullptr && choice.algorithm->has(algorithms::moves_by_mpi_alone))
        staged_->watch_completions(wire, choice.chunk_bytes);
    algorithms::Context means{choice.parameters,       resources_.workspace,  wire,
                              resources_.window.get(), resources_.schedule(), agreed_.has_begun};
    const PhasesTimed timed(context_, wire.meter(), record_);
    const auto status = algorithms::algorithm_of(*choice.algorithm).run(blocks, means);
    wire.tell(nullptr);
    return algorithms::mpi_code_of(status);
}

// Unpacks, and copies to the device.
void RoutedCall::unload() {
    keep(packing_->unload());
    const auto unloaded = Clock::now();
    record_.stage += unloaded - exchanged_;
    if (staged_ != nullptr) {
        if (!staged_->staging().copy_out()) keep(MPI_ERR_BUFFER);
        record_.copy_out = Clock::now() - unloaded;
    }
    note_traffic();
    if (code_ != MPI_SUCCESS && resources_.are_lost()) leave_to_mpi();
}

void RoutedCall::note_traffic() {
    const auto& traffic = resources_.wire.traffic();
    record_.messages = traffic.messages;
    record_.wire_bytes = traffic.bytes;
    record_.rounds = traffic.rounds;
    record_.has_nodes = context_.state.nodes() > 1;
    record_.messages_inter = traffic.messages_inter;
    record_.wire_bytes_inter = traffic.bytes_inter;
}

// MPI refuses every collective of such a communicator on all ranks, so a rank whose exchange
// went well misses nothing. False, for the stages that end so.
bool RoutedCall::leave_to_mpi() {
    end_ = End::native;
    decision_.match = native_instead(decision_, policy::PassedOver::rank_lost);
    return false;
}

int RoutedCall::record() {
    if (end_ == End::refused) return call_native(*context_.self.loaded, context_.call);
    context_.state.log().count(end_ == End::ours);
    if (end_ == End::native) return run_native(context_, decision_, record_, device_);
    if (code_ == MPI_SUCCESS) remember_fast_path(context_, decision_);
    end_record(context_, decision_, record_);
    return is_reported_ ? code_ : report(context_.call, code_);
}

} // namespace

int run_routed(const CallContext& context, Plan& plan) {
    return RoutedCall(context, plan).go();
}

int report(const CallArgs& call, int code) {
    if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(call.comm, code);
    return code;
}

} // namespace switchyard::shim
