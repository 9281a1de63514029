#include "comm_state.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "book.hpp"
#include "freeing.hpp"
#include "own_ranks.hpp"
#include "shim/back_end/arguments/aliases.hpp"
#include "shim/back_end/arguments/words.hpp"
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
constexpr int most_private = 64;

// Why nothing can be routed among these ranks; null where something can.
const char* why_only_native(const OwnRanks& own_ranks, const Members& members) {
    if (own_ranks.is_inter()) return is_intercommunicator;
    if (own_ranks.has_strangers()) return has_strangers;
    return members.are_one_run() ? nullptr : spans_runs;
}

} // namespace

CommState::CommState(Communicators& home, const Offer& offer)
    : home_(&home), section_(offer.section), types_{home.process().datatype_keyval, {}, {}} {}

CommState::~CommState() {
    if (tag_ != 0) home_->give_back(tag_);
    take_section_back();
}

void CommState::take_section_back() {
    if (section_) home_->process().memory->take_back(section_);
    section_ = {};
}

thread_local constinit CommState::Last CommState::last_{MPI_Comm{}, nullptr, ~std::uint64_t{0}};
std::atomic<std::uint64_t> CommState::freed_{0};

// False: an error.
bool CommState::find(MPI_Comm comm, Communicators& home, CommState*& state) {
    if (CommState** const kept = home.kept(comm)) {
        state = *kept;
        return true;
    }
    int found = 0;
    void* attribute = nullptr;
    const int code =
        PMPI_Comm_get_attr(comm, home.process().comm_keyval, static_cast<void*>(&attribute), &found);
    if (code == MPI_SUCCESS && found != 0) state = static_cast<CommState*>(attribute);
    return code == MPI_SUCCESS;
}

bool CommState::hang_on(MPI_Comm comm) {
    if (CommState** const kept = home_->kept(comm)) {
        *kept = this;
        return true;
    }
    return PMPI_Comm_set_attr(comm, home_->process().comm_keyval, this) == MPI_SUCCESS;
}

CommState* CommState::look_up(MPI_Comm comm, Communicators& home) {
    if (comm == MPI_COMM_NULL) return nullptr; // an error, and MPI's to report
    if (Freeing::is_under_way(comm)) return nullptr;
    const auto freed = freed_.load(std::memory_order_acquire);
    CommState* state = nullptr;
    if (!find(comm, home, state)) return nullptr;
    if (state == nullptr) state = create(comm, home);
    if (state != nullptr) last_ = {comm, state, freed}; // a rank alone may not remember that there is none
    return state;
}

void CommState::leave_to_entry(const LoadedMpi& loaded, std::uint64_t until) {
    if (left_alone_ == 0) return;
    constexpr Word all = ~Word{0};
    constexpr Word comm_bits = sizeof last_.comm == sizeof(Word) ? all : all >> (8 * sizeof(int));
    loaded.at_once() = {word_of(last_.comm), comm_bits, left_alone_, &calls_.seen, &freed_,
                        last_.freed,         until};
}

// Every call of such a collective is MPI's own; nobody logs it, and no rank has or expects a GPU's driver.
std::uint32_t CommState::left_alone() const {
    const Process& self = home_->process();
    if (self.settings.logs() || may_have_devices_) return 0;
    std::uint32_t collectives = 0;
    for (const auto& traits : algorithms::all_collectives) {
        const auto is_native = [&](Buffers buffers) {
            return plans_[plan_index(false, traits.collective, buffers)]->always_native();
        };
        if (is_native(Buffers::separate) && is_native(Buffers::in_place))
            collectives |= 1U << static_cast<unsigned>(traits.collective);
    }
    return collectives;
}

namespace {

Offer offer_of(Communicators& home, const OwnRanks& own_ranks) noexcept {
    Offer offer{.tag = home.offer_tag()};
    auto* const memory = home.process().memory.get();
    if (memory == nullptr || own_ranks.ranks() == 1) return offer;
    try {
        offer.section = algorithms::NodeWindow::offer(*memory);
    } catch (...) { // no memory, so no section
    }
    return offer;
}

} // namespace

// The ranks meet, and vote: two collectives. The vote makes sure that all ranks end with a state or none
// does, and alike for resources and window. One gap is left: a rank that has no memory for the members of an
// intercommunicator, or of more ranks than the world has, cannot meet the others, who wait.
CommState* CommState::create(MPI_Comm comm, Communicators& home) {
    if (const Ulfm* ulfm = home.process().ulfm; ulfm != nullptr && ulfm->is_given_up(comm)) return nullptr;
    const OwnRanks own_ranks(comm, home.process());
    if (own_ranks.comm() == MPI_COMM_NULL) return nullptr;
    std::unique_ptr<CommState> state;
    unsigned abilities = 0;
    const auto offer = offer_of(home, own_ranks);
    try {
        const Members members(own_ranks.comm(), home.process(), offer, home.spare_list());
        state.reset(new CommState(home, offer));
        state->meet(comm, own_ranks, members);
        home.reserve();
        abilities = state->prepare(comm, members) | can_exist;
    } catch (...) { // out of memory
        if (!state && offer.section) home.process().memory->take_back(offer.section);
    }
    abilities = algorithms::common_bits(abilities, algorithms::comm_of(own_ranks.comm()));
    if ((abilities & can_exist) == 0) return nullptr;
    if (home.process().has_own_carriers() && (abilities & can_route) != 0 && !state->carry_alone(comm))
        abilities = can_exist;
    if ((abilities & can_route) != 0 && (abilities & can_share) == 0 && state->needs_window() &&
        state->share_after_meeting())
        abilities |= can_share;
    state->settle(abilities);
    if (!state->hang_on(comm)) return nullptr;
    home.add(*state);
    return state.release();
}

// Learns who the others are, and from that, on all ranks alike, what can be routed.
void CommState::meet(MPI_Comm comm, const OwnRanks& own_ranks, const Members& members) {
    Process& self = home_->process();
    if (own_ranks.is_inter()) {
        PMPI_Comm_remote_size(comm, &blocks_);
        own_block_ = -1;
    } else {
        PMPI_Comm_size(comm, &blocks_);
        PMPI_Comm_rank(comm, &own_block_);
    }
    take_place(members);
    take_devices(members);
    plans_ = plans_of(why_only_native(own_ranks, members), self.memory != nullptr);
    ranks_ = own_ranks.ranks();
    summary_ = log::Summary(ranks_);
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

unsigned CommState::prepare(MPI_Comm comm, const Members& members) {
    if (!routes()) return 0;
    without_resources_ = plans_of(no_private, false);
    if (is_adaptive()) book_ = std::make_unique<adaptive::Book>();
    make_resources(comm, members);
    const bool has_carrier = home_->process().has_own_carriers() || tag_ != 0; // or will have
    const unsigned routed = has_carrier ? unsigned{can_route} : 0U;
    if (!needs_window()) return routed;
    without_window_ = plans_of(nullptr, false);
    sections_ = members.sections();
    auto& self = home_->process();
    node_cores_ = members.cores_of_node();
    resources_->window =
        algorithms::NodeWindow::join(resources_->group, *self.memory, sections_, node_cores_);
    return resources_->window ? routed | can_share : routed;
}

// In containers of their own, ranks cannot map each other's memory before they have met.
bool CommState::share_after_meeting() {
    auto& self = home_->process();
    resources_->window =
        algorithms::NodeWindow::meet_and_join(resources_->group, *self.memory, sections_, node_cores_);
    return resources_->window != nullptr;
}

void CommState::make_resources(MPI_Comm comm, const Members& members) {
    algorithms::Group group{algorithms::comm_of(comm),
                            rank_,
                            ranks_,
                            &*node_map_,
                            nullptr,
                            region_map_ ? &*region_map_ : nullptr};
    if (!home_->process().has_own_carriers()) {
        tag_ = home_->take_tag(members.tag());
        world_ranks_ = members.world_ranks();
        group.carrier = {algorithms::comm_of(home_->process().world), tag_, world_ranks_.data()};
    }
    resources_ = std::make_unique<CommResources>(group);
    if (const Ulfm* ulfm = home_->process().ulfm)
        resources_->alarm = std::make_unique<CommAlarm>(*ulfm, comm);
}

// Without a world, or where the communicator may be given up alone, the messages travel on a communicator
// made for them. Collective.
bool CommState::carry_alone(MPI_Comm comm) {
    auto& alive = home_->process().private_communicators;
    const bool room = ++alive <= most_private;
    const algorithms::Comm own = algorithms::comm_of(comm);
    auto& carrier = resources_->group.carrier;
    if (all_agree(room, own)) carrier.comm = algorithms::create_private(own);
    if (!carrier.comm) {
        --alive;
        return false;
    }
    const MPI_Comm made = algorithms::mpi_of(carrier.comm);
    home_->process().refuses_aliases = refuses_aliases(made);
    if (resources_->alarm) resources_->alarm->watch_over(made);
    carrier.alarm = resources_->alarm.get();
    return true;
}

// What all ranks are able to do stays; the plans follow.
void CommState::settle(unsigned abilities) {
    if ((abilities & can_route) == 0) {
        if (routes()) plans_ = without_resources_;
        resources_.reset();
    } else if ((abilities & can_share) != 0) {
        resources_->window->open(resources_->group);
        // The window leaves it; it is not free before the other ranks have left it, too.
        if (resources_->window->has_neighbours()) section_ = {};
    } else if (needs_window()) {
        resources_->window.reset();
        plans_ = without_window_;
        if (!routes()) free_resources();
    }
    take_section_back(); // where no window uses it: else each communicator would hold memory in vain
    without_resources_ = without_window_ = {};
    sections_ = {};
    if (!resources_) { // only algorithms look at maps
        node_map_.reset();
        region_map_.reset();
    }
    awaits_devices_ = resources_ && may_have_devices_ && looks_at_buffer();
    left_alone_ = left_alone();
}

void CommState::ask_for_devices(Process& self) {
    constexpr std::uint32_t at_least_every = 1024;
    ++begun_;
    if (!std::has_single_bit(begun_) && begun_ % at_least_every != 0) return;
    const bool none_here = !self.devices.are_here();
    has_devices_ = !all_agree(none_here, resources_->group.comm);
}

device::Staging& CommState::staging() {
    if (!staging_) staging_ = std::make_unique<device::Staging>(std::max(blocks_, 1), streams_);
    return *staging_;
}

device::DeviceWindow& CommState::device_window() {
    if (!device_window_) device_window_ = std::make_unique<device::DeviceWindow>(ranks_, streams_);
    return *device_window_;
}

bool CommState::reserve_staging(std::size_t most) {
    const auto grow = [this](std::size_t) { return !staging_ || staging_->reserve(); };
    return agreed_staging_.reserve(most, resources_->group.comm, grow);
}

template <typename Property>
bool CommState::any_plan(const Property& has_property) const {
    return std::ranges::any_of(plans_, [&](const auto& plan) { return has_property(*plan); });
}
bool CommState::routes() const {
    return any_plan([](const Plan& plan) { return !plan.always_native(); });
}
// For an algorithm, or for agreements.
bool CommState::needs_window() const {
    return home_->process().memory && any_plan([this](const Plan& plan) {
               return plan.uses_shared_memory() || (ranks_per_node_ > 1 && plan.asks_others());
           });
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
    const std::lock_guard lock(self.opening);
    if (self.run_info.alone && !self.recorder && self.settings.logs()) {
        const auto& first = members.first();
        const auto directory = self.settings.value(Setting::log) + "/" +
                               log::run_directory_name(self.run_info.program, first.start_seconds, first.pid);
        open_recorder(self, directory, rank_, ranks_);
        log::CountedSums::set_current(self.counted.get());
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
    self.recorder->add_name(std::move(name));
}

bool CommState::retire() {
    const bool leads = leader_ == home_->process().world_rank;
    retired_ = true;
    device_window_.reset(); // while the GPU's driver is there
    staging_.reset();
    streams_.release();
    return leads;
}

void CommState::add_lessons(adaptive::Lessons& lessons) const {
    if (!book_) return;
    for (const auto& learner : book_->learners()) lessons.add(learner->lesson());
}

void CommState::free_resources() {
    if (home_->process().has_own_carriers() && resources_ && resources_->group.carrier.comm) {
        MPI_Comm own = algorithms::mpi_of(resources_->group.carrier.comm);
        PMPI_Comm_free(&own);
        --home_->process().private_communicators;
    }
    resources_.reset();
}

void CommState::end_of(MPI_Comm comm, Communicators& home) noexcept {
    if (comm == MPI_COMM_NULL || home.kept(comm) != nullptr) return; // an error
    CommState* state = nullptr;
    if (find(comm, home, state) && state != nullptr) PMPI_Comm_delete_attr(comm, home.process().comm_keyval);
}

int CommState::on_delete(MPI_Comm, int, void* attribute, void*) {
    forget_last();
    const std::unique_ptr<CommState> state(static_cast<CommState*>(attribute));
    if (state->retired_) return MPI_SUCCESS; // the run is over
    state->home_->retire(*state);
    state->free_resources();
    return MPI_SUCCESS;
}

} // namespace switchyard::shim
