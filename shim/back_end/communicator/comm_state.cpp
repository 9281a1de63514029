#include "comm_state.hpp"

#include "book.hpp"
#include "row.hpp"
#include "shim/common/log/merge.hpp"

#include <algorithm>
#include <bit>

namespace switchyard::shim {

using algorithms::all_agree;

namespace {

constexpr const char* is_intercommunicator = "intercommunicator";
constexpr const char* has_strangers = "ranks of another job";
constexpr const char* spans_runs = "ranks with different policies";
constexpr const char* no_private = "no private communicator to be had";

// MPICH has about 2000 communicators for a process; most of them shall stay the application's.
constexpr int most_private = 256;

// Why nothing can be routed among these ranks; null where something can.
const char* why_only_native(const Row& row, const Members& members) {
    if (row.is_inter()) return is_intercommunicator;
    if (row.has_strangers()) return has_strangers;
    return members.are_one_run() ? nullptr : spans_runs;
}

} // namespace

CommState::CommState(Communicators& home) : home_(&home) {}
CommState::~CommState() = default;

thread_local constinit CommState::Last CommState::last_{MPI_Comm{}, nullptr, ~std::uint64_t{0}};
std::atomic<std::uint64_t> CommState::freed_{0};

CommState* CommState::look_up(MPI_Comm comm, Communicators& home) {
    if (comm == MPI_COMM_NULL) return nullptr; // an error, and MPI's to report
    const auto freed = freed_.load(std::memory_order_acquire);
    void* attribute = nullptr;
    int found = 0;
    if (PMPI_Comm_get_attr(comm, home.process().comm_keyval, static_cast<void*>(&attribute), &found) !=
        MPI_SUCCESS)
        return nullptr;
    auto* state = found != 0 ? static_cast<CommState*>(attribute) : create(comm, home);
    if (state != nullptr) last_ = {comm, state, freed}; // a rank alone may not remember that there is none
    return state;
}

// The votes make sure that all ranks end with a state or none does. Nothing is allocated after the first vote but the
// rails themselves. One gap is left: a rank that has no memory for the list of members cannot meet the others, who wait.
CommState* CommState::create(MPI_Comm comm, Communicators& home) {
    const Row row(comm, home.process());
    if (row.comm() == MPI_COMM_NULL) return nullptr;
    std::unique_ptr<CommState> state;
    PlanList without_rails, without_window;
    bool good = false;
    try {
        state.reset(new CommState(home));
        state->meet(comm, row);
        without_rails = state->plans_of(no_private, false);
        if (state->uses_shared_memory()) without_window = state->plans_of(nullptr, false);
        if (state->is_adaptive()) state->book_ = std::make_unique<adaptive::Book>();
        home.reserve();
        good = true;
    } catch (...) { // out of memory
    }
    if (!all_agree(good, row.comm())) return nullptr;
    state->equip(comm, without_rails, without_window);
    if (PMPI_Comm_set_attr(comm, home.process().comm_keyval, state.get()) != MPI_SUCCESS) return nullptr;
    home.add(*state);
    return state.release();
}

// Learns who the others are, and from that, on all ranks alike, what can be routed.
void CommState::meet(MPI_Comm comm, const Row& row) {
    Process& self = home_->process();
    const Members members(row.comm(), self);
    if (row.is_inter()) {
        PMPI_Comm_remote_size(comm, &blocks_);
        own_block_ = -1;
    } else {
        PMPI_Comm_size(comm, &blocks_);
        PMPI_Comm_rank(comm, &own_block_);
    }
    take_place(members);
    take_devices(members);
    plans_ = plans_of(why_only_native(row, members), self.settings.shared_bytes() > 0);
    ranks_ = row.ranks();
    name_in_log(members);
}

void CommState::take_place(const Members& members) {
    rank_ = members.rank();
    ranks_ = members.ranks();
    leader_ = members.leader().world_rank;
    leader_number_ = members.leader().number;
    node_map_ = members.node_map();
    nodes_ = node_map_->nodes();
    ranks_per_node_ = node_map_->largest();
    if (!home_->process().looks_at_regions) return;
    const auto regions = members.regions();
    for (int node = 0; node < nodes_; ++node) regions_ += node_map_->regions_of(node, regions).nodes();
    region_map_ = node_map_->regions_of(node_map_->node_of(rank_), regions);
}

void CommState::take_devices(const Members& members) {
    const auto gpu = home_->process().settings.gpu();
    if (gpu == Gpu::off) return;
    has_devices_ = gpu == Gpu::on || members.any_has_driver();
    may_have_devices_ = has_devices_ || members.any_may_get_driver();
}

CommState::PlanList CommState::plans_of(const char* only_native, bool shared_memory) const {
    policy::FixedFeatures fixed;
    fixed.ranks = ranks_;
    fixed.nodes = nodes_;
    fixed.ranks_per_node = ranks_per_node_;
    fixed.shared_memory = shared_memory;
    PlanList plans;
    for (const bool devices : {false, true}) {
        fixed.devices = devices && may_have_devices_;
        for (const auto& traits : algorithms::all_collectives) {
            fixed.collective = traits.collective;
            for (const auto buffers : {Buffers::separate, Buffers::in_place, Buffers::overlapping}) {
                fixed.in_place = buffers != Buffers::separate;
                fixed.overlapping = buffers == Buffers::overlapping;
                plans[plan_index(devices, traits.collective, buffers)] =
                    home_->plans().of(fixed, only_native);
            }
        }
    }
    return plans;
}

// Rails and a window where the plans want them. The plans follow from what the ranks told each other, and each step ends
// with a vote, so all ranks come out alike.
void CommState::equip(MPI_Comm comm, const PlanList& without_rails, const PlanList& without_window) {
    if (routes() && !lay_rails(comm)) plans_ = without_rails;
    if (uses_shared_memory()) {
        rails_->window =
            algorithms::NodeWindow::make(rails_->group, home_->process().settings.shared_bytes());
        if (!rails_->window) plans_ = without_window;
        if (!routes()) free_rails();
    }
    if (!rails_) { // only algorithms look at maps
        node_map_.reset();
        region_map_.reset();
    }
    awaits_devices_ = rails_ && may_have_devices_ && looks_at_buffer();
}

bool CommState::lay_rails(MPI_Comm comm) {
    auto& alive = home_->process().private_communicators;
    const bool room = ++alive <= most_private;
    if (all_agree(room, comm)) {
        const algorithms::Group group{
            algorithms::create_private(comm),     rank_, ranks_, &*node_map_, nullptr,
            region_map_ ? &*region_map_ : nullptr};
        try {
            if (group.comm != MPI_COMM_NULL) rails_ = std::make_unique<Rails>(group);
        } catch (...) { // out of memory
        }
        if (all_agree(rails_ != nullptr, comm)) return true;
    }
    rails_.reset(); // the communicator stays: a rank without it could not take part in freeing it
    --alive;
    return false;
}

void CommState::ask_for_devices(Process& self) {
    constexpr std::uint32_t at_least_every = 1024;
    ++begun_;
    if (!std::has_single_bit(begun_) && begun_ % at_least_every != 0) return;
    const bool none_here = !self.devices.are_here();
    has_devices_ = !all_agree(none_here, rails_->group.comm);
}

device::Staging& CommState::staging() {
    if (!staging_) staging_ = std::make_unique<device::Staging>(std::max(blocks_, 1));
    return *staging_;
}

bool CommState::reserve_staging(std::size_t most) {
    const auto grow = [this](std::size_t) { return !staging_ || staging_->reserve(); };
    return agreed_staging_.reserve(most, rails_->group.comm, grow);
}

template <typename Property>
bool CommState::any_plan(const Property& has_property) const {
    return std::ranges::any_of(plans_, [&](const auto& plan) { return has_property(*plan); });
}
bool CommState::routes() const {
    return any_plan([](const Plan& plan) { return !plan.always_native(); });
}
bool CommState::uses_shared_memory() const {
    return any_plan([](const Plan& plan) { return plan.uses_shared_memory(); });
}
bool CommState::is_adaptive() const {
    return any_plan([](const Plan& plan) { return !plan.shortlist().adaptives.empty(); });
}
bool CommState::looks_at_buffer() const {
    return any_plan([](const Plan& plan) { return plan.shortlist().looks_at_buffer; });
}

void CommState::name_in_log(const Members& members) {
    Process& self = home_->process();
    // In a run without MPI_Init the first communicator of a rank decides where its records go.
    if (self.run_info.alone && !self.recorder && self.settings.logs()) {
        const auto& first = members.first();
        const auto directory = self.settings.value(Setting::log) + "/" +
                               log::run_directory_name(self.run_info.program, first.start_seconds, first.pid);
        open_recorder(self, directory, rank_, ranks_);
        self.run_info.ranks = ranks_;
        if (rank_ == 0) log::write_run_json(directory, self.run_info, nullptr);
    }
    if (!self.recorder) return;
    log::CommunicatorName name;
    name.number = log_number_ = ++self.named_communicators;
    name.id = members.are_world() ? "world" : std::to_string(leader_) + ":" + std::to_string(leader_number_);
    name.leader = leader_;
    name.leader_number = leader_number_;
    name.rank = rank_;
    name.ranks = ranks_;
    name.nodes = nodes_;
    name.ranks_per_node = ranks_per_node_;
    name.regions = regions_;
    if (leader_ == self.world_rank) name.members = members.world_ranks();
    self.recorder->add_name(name.to_line());
}

bool CommState::retire() {
    const bool leads = leader_ == home_->process().world_rank;
    retired_ = true;
    return leads;
}

void CommState::add_lessons(adaptive::Lessons& lessons) const {
    if (!book_) return;
    for (const auto& learner : book_->learners()) lessons.add(learner->lesson());
}

void CommState::free_rails() {
    staging_.reset();
    if (!rails_) return;
    rails_->free();
    rails_.reset();
    --home_->process().private_communicators;
}

int CommState::on_delete(MPI_Comm, int, void* attribute, void*) {
    forget_last();
    const std::unique_ptr<CommState> state(static_cast<CommState*>(attribute));
    if (state->retired_) return MPI_SUCCESS; // the run is over
    state->home_->retire(*state);
    state->free_rails();
    return MPI_SUCCESS;
}

} // namespace switchyard::shim
