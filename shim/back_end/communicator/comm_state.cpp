#include "comm_state.hpp"

#include "book.hpp"
#include "shim/common/log/merge.hpp"
#include "row.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <unistd.h>

namespace switchyard::shim {

// What every rank tells the others at a communicator's first call.
struct CommState::Member {
    std::uint64_t run, node;
    std::int64_t start_seconds;
    std::int32_t world_rank, pid;
    std::uint32_t leader_number; // its number for the communicator, in case it is the leader
    std::int32_t region;         // of the node
    std::int32_t has_driver;     // there can be device memory in its process
    std::int32_t may_get_driver; // its machine seems to have a GPU
};

namespace {

constexpr const char* is_intercommunicator = "intercommunicator";
constexpr const char* has_strangers = "ranks of another job";
constexpr const char* spans_runs = "ranks with different policies";
constexpr const char* no_private = "no private communicator to be had";

// MPICH has about 2000 communicators for a process; most of them shall stay the application's.
constexpr int most_private = 256;

} // namespace

bool Rails::reserve(std::size_t bytes) {
    if (bytes <= agreed_workspace_) return true;
    // In steps of a quarter, so that slowly growing blocks do not vote at every call.
    auto step = std::max<std::size_t>(4096, std::bit_floor(bytes) / 4);
    auto rounded = (bytes + step - 1) / step * step;
    if (!all_agree(workspace.reserve(rounded), group.comm)) return false;
    agreed_workspace_ = rounded;
    return true;
}

bool Rails::reserve_for(const policy::Choice& choice, const policy::Features& call) {
    if (reserved_for_.choice == &choice && reserved_for_.max_block == call.max_block_bytes) return true;
    if (!reserve(policy::scratch_bytes(choice, call))) return false;
    reserved_for_ = {&choice, call.max_block_bytes};
    return true;
}

CommState::CommState() = default;
CommState::~CommState() = default;

thread_local constinit CommState::Last CommState::last_{MPI_Comm{}, nullptr, ~std::uint64_t{0}};
std::atomic<std::uint64_t> CommState::freed_{0};

CommState* CommState::look_up(MPI_Comm comm, Process& self) {
    if (comm == MPI_COMM_NULL) return nullptr; // MPI will say what it thinks of that
    auto freed = freed_.load(std::memory_order_acquire);
    void* attribute = nullptr;
    int found = 0;
    if (PMPI_Comm_get_attr(comm, self.comm_keyval, static_cast<void*>(&attribute), &found) != MPI_SUCCESS)
        return nullptr;
    auto* state = found != 0 ? static_cast<CommState*>(attribute) : create(comm, self);
    if (state != nullptr) last_ = {comm, state, freed}; // a rank alone may not remember that there is none
    return state;
}

// The votes make sure that all ranks end with a state or none does, and with rails or without. Nothing is
// allocated after the first vote but the rails themselves. One gap is left: a rank that has no memory for the
// list of members cannot meet the others, who wait.
CommState* CommState::create(MPI_Comm comm, Process& self) {
    Row row(comm, self);
    if (row.comm() == MPI_COMM_NULL) return nullptr;
    std::unique_ptr<CommState> state;
    Plans without_rails, without_window;
    bool good = false;
    try {
        state.reset(new CommState);
        state->meet(comm, row, self);
        without_rails = state->plans_of(self, no_private, false);
        if (state->uses_shared_memory()) without_window = state->plans_of(self, nullptr, false);
        if (state->is_adaptive()) state->book_ = std::make_unique<adaptive::Book>();
        std::lock_guard lock(self.states_mutex);
        self.states.reserve(self.states.size() + 1);
        good = true;
    } catch (...) { // out of memory
    }
    if (!all_agree(good, row.comm())) return nullptr;
    // From here on the same on all ranks: it follows from what they told each other.
    if (state->routes() && !state->lay_rails(comm, self)) state->plans_ = without_rails;
    if (state->uses_shared_memory()) {
        auto& rails = *state->rails_;
        rails.window = algorithms::NodeWindow::make(rails.group, self.settings.shared_bytes());
        if (!rails.window) state->plans_ = without_window;
        if (!state->routes()) state->free_rails(self);
    }
    if (!state->rails_) { // only algorithms look at them
        state->node_map_.reset();
        state->region_map_.reset();
    }
    state->awaits_devices_ = state->rails_ && state->may_have_devices_ && state->looks_at_buffer();
    state->process_ = &self;
    if (PMPI_Comm_set_attr(comm, self.comm_keyval, state.get()) != MPI_SUCCESS) return nullptr;
    std::lock_guard lock(self.states_mutex);
    self.states.push_back(state.get());
    return state.release();
}

// Learns who the others are, and from that, on all ranks alike, what can be routed.
void CommState::meet(MPI_Comm comm, const Row& row, Process& self) {
    auto members = introduce(row.comm(), self);
    if (row.is_inter()) {
        PMPI_Comm_remote_size(comm, &blocks_);
        own_block_ = -1;
    } else {
        PMPI_Comm_size(comm, &blocks_);
        PMPI_Comm_rank(comm, &own_block_);
    }
    take_place(members, self);
    take_devices(members, self);
    bool one_run = std::all_of(members.begin(), members.end(),
                               [&](const Member& member) { return member.run == self.run; });
    plans_ = plans_of(self,
                      row.is_inter()        ? is_intercommunicator
                      : row.has_strangers() ? has_strangers
                      : !one_run            ? spans_runs
                                            : nullptr,
                      self.settings.shared_bytes() > 0);
    ranks_ = row.ranks();
    name_in_log(self, members);
}

std::vector<CommState::Member> CommState::introduce(MPI_Comm comm, Process& self) {
    PMPI_Comm_rank(comm, &rank_);
    PMPI_Comm_size(comm, &ranks_);
    if (self.world != MPI_COMM_NULL) {
        int same = MPI_UNEQUAL;
        PMPI_Comm_compare(comm, MPI_COMM_WORLD, &same);
        is_world_ = same == MPI_IDENT;
    }
    if (self.world_rank < 0)
        self.world_rank = rank_; // a run without a world: the first communicator stands in
    std::uint32_t number = is_world_ ? 0 : ++self.communicators_met;
    const bool has_driver = self.devices.are_here();
    Member mine{self.run, self.node,   self.start_seconds, self.world_rank,      getpid(),
                number,   self.region, has_driver,         self.devices_may_come};
    std::vector<Member> members(static_cast<std::size_t>(ranks_));
    PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, members.data(), sizeof mine, MPI_BYTE, comm);
    return members;
}

void CommState::take_place(const std::vector<Member>& members, Process& self) {
    auto first =
        std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.run == self.run; });
    leader_ = first->world_rank;
    leader_number_ = first->leader_number;
    std::vector<std::uint64_t> node_ids;
    node_ids.reserve(members.size());
    for (const auto& member : members) node_ids.push_back(member.node);
    node_map_.emplace(node_ids);
    nodes_ = node_map_->nodes();
    ranks_per_node_ = node_map_->largest();
    if (self.looks_at_regions) take_region(members);
}

// Of the list that all ranks have, so all ranks of a node agree on its regions.
void CommState::take_region(const std::vector<Member>& members) {
    std::vector<int> region_ids;
    region_ids.reserve(members.size());
    for (const auto& member : members) region_ids.push_back(member.region);
    for (int node = 0; node < nodes_; ++node) regions_ += node_map_->regions_of(node, region_ids).nodes();
    region_map_ = node_map_->regions_of(node_map_->node_of(rank_), region_ids);
}

CommState::Plans CommState::plans_of(Process& self, const char* only_native, bool shared_memory) const {
    policy::Features fixed;
    fixed.ranks = ranks_;
    fixed.nodes = nodes_;
    fixed.ranks_per_node = ranks_per_node_;
    fixed.shared_memory = shared_memory;
    Plans plans;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const auto buffers = static_cast<Buffers>(i % buffers_count);
        const auto collective = i / buffers_count;
        fixed.collective = static_cast<Collective>(collective % algorithms::collective_count);
        fixed.devices = may_have_devices_ && collective >= algorithms::collective_count;
        fixed.in_place = buffers != Buffers::separate;
        fixed.overlapping = buffers == Buffers::overlapping;
        plans[i] = Plan::of(self, fixed, only_native);
    }
    return plans;
}

// What all ranks were told, so all of them await devices or none does.
void CommState::take_devices(const std::vector<Member>& members, const Process& self) {
    const auto gpu = self.settings.gpu();
    if (gpu == Gpu::off) return;
    has_devices_ =
        gpu == Gpu::on || std::ranges::any_of(members, [](const Member& m) { return m.has_driver != 0; });
    may_have_devices_ =
        has_devices_ || std::ranges::any_of(members, [](const Member& m) { return m.may_get_driver != 0; });
}

bool CommState::looks_at_buffer() const {
    return std::ranges::any_of(plans_, [](const auto& plan) { return plan->policy().looks_at_buffer; });
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
    // In steps of a quarter, as Rails::reserve does.
    if (most <= agreed_staging_) return true;
    const auto step = std::max<std::size_t>(4096, std::bit_floor(most) / 4);
    const bool here = !staging_ || staging_->reserve();
    if (!all_agree(here, rails_->group.comm)) return false;
    agreed_staging_ = (most + step - 1) / step * step;
    return true;
}

bool CommState::routes() const {
    return std::ranges::any_of(plans_, [](const auto& plan) { return !plan->always_native(); });
}

bool CommState::uses_shared_memory() const {
    return std::ranges::any_of(plans_, [](const auto& plan) { return plan->uses_shared_memory(); });
}

bool CommState::is_adaptive() const {
    return std::ranges::any_of(plans_, [](const auto& plan) { return !plan->policy().adaptives.empty(); });
}

bool CommState::lay_rails(MPI_Comm comm, Process& self) {
    bool room = ++self.private_communicators <= most_private;
    if (all_agree(room, comm)) {
        algorithms::Group group{create_private(comm), rank_,   ranks_,
                                &*node_map_,          nullptr, region_map_ ? &*region_map_ : nullptr};
        try {
            if (group.comm != MPI_COMM_NULL) rails_ = std::make_unique<Rails>(group);
        } catch (...) { // out of memory
        }
        if (all_agree(rails_ != nullptr, comm)) return true;
    }
    rails_.reset();
    --self.private_communicators;
    return false;
}

// In a run without MPI_Init the first communicator of a rank decides where its records go.
void CommState::name_in_log(Process& self, const std::vector<Member>& members) {
    const auto& first = members.front();
    if (self.run_info.alone && !self.recorder && self.settings.logs()) {
        auto directory = self.settings.value(Setting::log) + "/" +
                         log::run_directory_name(self.run_info.program, first.start_seconds, first.pid);
        open_recorder(self, directory, rank_, ranks_);
        self.run_info.ranks = ranks_;
        if (rank_ == 0) log::write_run_json(directory, self.run_info, nullptr);
    }
    if (!self.recorder) return;
    log::CommunicatorName name;
    name.number = log_number_ = ++self.communicators;
    name.id = is_world_ ? "world" : std::to_string(leader_) + ":" + std::to_string(leader_number_);
    name.leader = leader_;
    name.leader_number = leader_number_;
    name.rank = rank_;
    name.ranks = ranks_;
    name.nodes = nodes_;
    name.ranks_per_node = ranks_per_node_;
    name.regions = regions_;
    if (leader_ == self.world_rank)
        for (const auto& member : members)
            if (member.run == self.run) name.members.push_back(member.world_rank);
    self.recorder->add_name(name.to_line());
}

void CommState::add_to_sum(Process& self, const log::CallRecord& record) {
    auto same = std::find_if(sums_.begin(), sums_.end(), [&](const Sum& sum) {
        return sum.decision == record.decision && sum.collective == record.collective &&
               sum.binding == record.binding && sum.in_place == record.in_place &&
               sum.large_count == record.large_count && sum.on_device == record.on_device &&
               sum.is_staged == record.is_staged;
    });
    if (same == sums_.end()) {
        auto first = record;
        first.sequence =
            static_cast<std::uint32_t>(sums_.size() + 1); // kinds appear in the same order on all ranks
        auto* call = self.recorder->keep(log::Slot::call(first));
        auto* detail = first.has_detail ? self.recorder->keep(log::Slot::detail(first)) : nullptr;
        auto* nodes =
            first.has_detail && first.has_nodes ? self.recorder->keep(log::Slot::nodes(first)) : nullptr;
        auto* copies =
            first.has_detail && first.is_staged ? self.recorder->keep(log::Slot::copies(first)) : nullptr;
        sums_.push_back({call, detail, nodes, copies, record.decision, record.collective, record.binding,
                         record.in_place, record.large_count, record.on_device, record.is_staged});
        return;
    }
    if (auto* call = same->call) {
        ++call->calls();
        call->values[1] += record.elapsed;
        call->values[2] = std::max(call->values[2], record.max_block);
        call->values[3] += record.sent;
    }
    if (auto* detail = same->detail) {
        auto more = log::Slot::detail(record);
        for (std::size_t i = 0; i < std::size(more.values); ++i) detail->values[i] += more.values[i];
        for (std::size_t i = 0; i < std::size(more.pair); ++i) detail->pair[i] += more.pair[i];
    }
    if (auto* nodes = same->nodes) {
        auto more = log::Slot::nodes(record);
        for (std::size_t i = 0; i < std::size(more.values); ++i) nodes->values[i] += more.values[i];
    }
    if (auto* copies = same->copies) {
        copies->values[0] += record.copy_in;
        copies->values[1] += record.copy_out;
    }
}

void CommState::keep_lessons(Process& self) {
    if (!book_) return;
    try {
        for (const auto& learner : book_->learners()) self.learned.add(learner->lesson());
    } catch (...) { // out of memory: something learned less
    }
}

// Counts its calls; what is left to free is collective to free, hence not done under a lock.
void CommState::retire(Process& self) {
    if (leader_ == self.world_rank) {
        self.calls_seen += sequence_;
        self.calls_routed += routed_;
        keep_lessons(self);
    }
    process_ = nullptr;
}

void CommState::free_rails(Process& self) {
    staging_.reset();
    if (!rails_) return;
    rails_->window.reset();
    PMPI_Comm_free(&rails_->group.comm);
    rails_.reset();
    --self.private_communicators;
}

int CommState::on_delete(MPI_Comm, int, void* attribute, void*) {
    freed_.fetch_add(1, std::memory_order_release);
    std::unique_ptr<CommState> state(static_cast<CommState*>(attribute));
    if (state->process_ == nullptr) return MPI_SUCCESS; // the run is over
    auto& self = *state->process_;
    {
        std::lock_guard lock(self.states_mutex);
        std::erase(self.states, state.get());
        state->retire(self);
    }
    state->free_rails(self);
    return MPI_SUCCESS;
}

void CommState::release_all(Process& self) {
    freed_.fetch_add(1, std::memory_order_release);
    std::vector<CommState*> states;
    {
        std::lock_guard lock(self.states_mutex);
        states.swap(self.states);
        for (auto* state : states) state->retire(self);
    }
    // Freeing is collective: in an order that all ranks share.
    std::sort(states.begin(), states.end(), [](const CommState* left, const CommState* right) {
        return std::tie(left->leader_, left->leader_number_) <
               std::tie(right->leader_, right->leader_number_);
    });
    for (auto* state : states) state->free_rails(self);
}

} // namespace switchyard::shim
