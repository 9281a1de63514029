#include "first_call.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "comm_state.hpp"
#include "own_ranks.hpp"
#include "shim/back_end/arguments/aliases.hpp"
#include "shim/common/log/merge.hpp"

#include <algorithm>

namespace switchyard::shim {

namespace {

constexpr const char* is_intercommunicator = "intercommunicator";
constexpr const char* has_strangers = "ranks of another job";
constexpr const char* spans_runs = "ranks with different policies";
constexpr const char* no_private = "no private communicator to be had";

// MPICH has about 2000 communicators per process; most must remain for the application.
constexpr int most_private = 64;

// Why nothing can be routed among these ranks; null where something can.
const char* why_only_native(const OwnRanks& own_ranks, const Members& members) {
    if (own_ranks.is_inter()) return is_intercommunicator;
    if (own_ranks.has_strangers()) return has_strangers;
    return members.are_one_run() ? nullptr : spans_runs;
}

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

// The ranks meet, and vote: two collectives. The vote makes sure that either all ranks get a state or
// none does; likewise resources and the window. One gap is left: a rank without memory for the
// members of an intercommunicator, or of a communicator with more ranks than the world, cannot meet
// the other ranks, and they wait.
CommState* FirstCall::state_of(MPI_Comm comm, Communicators& home) {
    if (const Ulfm* ulfm = home.process().ulfm; ulfm != nullptr && ulfm->is_given_up(comm)) return nullptr;
    const OwnRanks own_ranks(comm, home.process());
    if (own_ranks.comm() == MPI_COMM_NULL) return nullptr;
    FirstCall call(comm, home, offer_of(home, own_ranks));
    if (!call.find_abilities(own_ranks)) return nullptr;
    call.settle();
    if (!call.state_->hang_on(comm)) return nullptr;
    home.add(*call.state_);
    return call.state_.release();
}

FirstCall::FirstCall(MPI_Comm comm, Communicators& home, const Offer& offer)
    : comm_(comm), home_(home), offer_(offer) {}

FirstCall::~FirstCall() {
    take_section_back();
}

void FirstCall::take_section_back() {
    if (offer_.section) home_.process().memory->take_back(offer_.section);
    offer_.section = {};
}

bool FirstCall::find_abilities(const OwnRanks& own_ranks) {
    unsigned abilities = 0;
    try {
        const Members members(own_ranks.comm(), home_.process(), offer_, home_.spare_list());
        state_.reset(new CommState(home_));
        meet(own_ranks, members);
        home_.reserve();
        abilities = prepare(members) | can_exist;
    } catch (...) { // out of memory
    }
    abilities_ = algorithms::common_bits(abilities, algorithms::comm_of(own_ranks.comm()));
    if ((abilities_ & can_exist) == 0) return false;
    if (home_.process().has_own_carriers() && (abilities_ & can_route) != 0 && !carry_alone())
        abilities_ = can_exist;
    if ((abilities_ & can_route) != 0 && (abilities_ & can_share) == 0 && needs_window() &&
        share_after_meeting())
        abilities_ |= can_share;
    return true;
}

// Learns who the other ranks are and, from them, what can be routed. The result is the same on all ranks.
void FirstCall::meet(const OwnRanks& own_ranks, const Members& members) {
    Process& self = home_.process();
    int blocks = 1, own = -1;
    if (own_ranks.is_inter()) {
        PMPI_Comm_remote_size(comm_, &blocks);
    } else {
        PMPI_Comm_size(comm_, &blocks);
        PMPI_Comm_rank(comm_, &own);
    }
    state_->all_peers_ = Peers::all(blocks, own);
    state_->log_ = CommLog(own_ranks.ranks());
    take_place(members);
    take_devices(members);
    state_->plans_ = plans_of(why_only_native(own_ranks, members), self.memory != nullptr);
    state_->ranks_ = own_ranks.ranks();
    name_in_log(members);
}

void FirstCall::take_place(const Members& members) {
    state_->rank_ = members.rank();
    state_->ranks_ = members.ranks();
    state_->log_.leader = members.leader().world_rank;
    state_->log_.leader_number = members.leader().number;
    state_->node_map_ = members.node_map();
    state_->nodes_ = state_->node_map_->nodes();
    state_->ranks_per_node_ = state_->node_map_->largest();
    state_->network_ = members.any_has_rdma() ? policy::Network::rdma : policy::Network::tcp;
    if (!home_.process().looks_at_regions) return;
    const auto regions = members.regions();
    for (int node = 0; node < state_->nodes_; ++node)
        state_->regions_ += state_->node_map_->regions_of(node, regions).nodes();
    state_->region_map_ = state_->node_map_->regions_of(state_->node_map_->node_of(state_->rank_), regions);
}

void FirstCall::take_devices(const Members& members) {
    const auto gpu = home_.process().settings.gpu();
    if (gpu == Gpu::off) return;
    state_->devices_.expect(gpu == Gpu::on || members.any_has_driver(), members.any_may_get_driver());
}

CommState::PlanList FirstCall::plans_of(const char* only_native, bool shared_memory) const {
    policy::FixedFeatures fixed;
    fixed.ranks = state_->ranks_;
    fixed.nodes = state_->nodes_;
    fixed.ranks_per_node = state_->ranks_per_node_;
    fixed.network = state_->network_;
    fixed.shared_memory = shared_memory;
    CommState::PlanList plans;
    for (const bool devices : {false, true}) {
        fixed.devices = devices && state_->devices_.may_come();
        for (const auto& traits : algorithms::all_collectives) {
            fixed.collective = traits.collective;
            for (const auto buffers : {Buffers::separate, Buffers::in_place, Buffers::overlapping}) {
                fixed.in_place = buffers != Buffers::separate;
                fixed.overlapping = buffers == Buffers::overlapping;
                plans[CommState::plan_index(devices, traits.collective, buffers)] =
                    home_.plans().of(fixed, only_native);
            }
        }
    }
    return plans;
}

unsigned FirstCall::prepare(const Members& members) {
    if (!routes()) return 0;
    without_resources_ = plans_of(no_private, false);
    make_resources(members);
    const bool has_carrier = home_.process().has_own_carriers() || state_->tag_ != 0; // or will have
    const unsigned routed = has_carrier ? unsigned{can_route} : 0U;
    if (!needs_window()) return routed;
    without_window_ = plans_of(nullptr, false);
    sections_ = members.sections();
    auto& self = home_.process();
    node_cores_ = members.cores_of_node();
    state_->resources_->window =
        algorithms::NodeWindow::join(state_->resources_->group, *self.memory, sections_, node_cores_);
    return state_->resources_->window ? routed | can_share : routed;
}

// In containers of their own, ranks cannot map each other's memory before they have met.
bool FirstCall::share_after_meeting() {
    auto& self = home_.process();
    state_->resources_->window = algorithms::NodeWindow::meet_and_join(state_->resources_->group,
                                                                       *self.memory, sections_, node_cores_);
    return state_->resources_->window != nullptr;
}

void FirstCall::make_resources(const Members& members) {
    algorithms::Group group{
        algorithms::comm_of(comm_), state_->rank_, state_->ranks_,
        &*state_->node_map_,        nullptr,       state_->region_map_ ? &*state_->region_map_ : nullptr};
    if (!home_.process().has_own_carriers()) {
        state_->tag_ = home_.take_tag(members.tag());
        state_->world_ranks_ = members.world_ranks();
        group.carrier = {algorithms::comm_of(home_.process().world), state_->tag_,
                         state_->world_ranks_.data()};
    }
    state_->resources_ = std::make_unique<CommResources>(group);
    state_->resources_->in_flight_limit = home_.process().settings.in_flight_limit();
    if (const Ulfm* ulfm = home_.process().ulfm)
        state_->resources_->alarm = std::make_unique<CommAlarm>(*ulfm, comm_);
}

// Without a world, or if the communicator may be given up by itself, the messages travel on a communicator
// made for them. Collective.
bool FirstCall::carry_alone() {
    auto& alive = home_.process().private_communicators;
    const bool room = ++alive <= most_private;
    const algorithms::Comm own = algorithms::comm_of(comm_);
    auto& carrier = state_->resources_->group.carrier;
    if (algorithms::all_agree(room, own)) carrier.comm = algorithms::create_private(own);
    if (!carrier.comm) {
        --alive;
        return false;
    }
    const MPI_Comm made = algorithms::mpi_of(carrier.comm);
    home_.process().refuses_aliases = refuses_aliases(made);
    if (state_->resources_->alarm) state_->resources_->alarm->watch_over(made);
    carrier.alarm = state_->resources_->alarm.get();
    return true;
}

// What all ranks are able to do stays; the plans follow.
void FirstCall::settle() {
    if ((abilities_ & can_route) == 0) {
        if (routes()) state_->plans_ = without_resources_;
        state_->resources_.reset();
    } else if ((abilities_ & can_share) != 0) {
        state_->resources_->window->open(state_->resources_->group);
        // The window leaves the section, which is free once the other ranks have left it as well.
        if (state_->resources_->window->has_neighbours()) offer_.section = {};
    } else if (needs_window()) {
        state_->resources_->window.reset();
        state_->plans_ = without_window_;
        if (!routes()) state_->free_resources();
    }
    take_section_back();       // if no window uses it: else each communicator would hold unused memory
    if (!state_->resources_) { // only algorithms use the maps
        state_->node_map_.reset();
        state_->region_map_.reset();
    }
    if (state_->resources_ && looks_at_buffer()) state_->devices_.matter();
    state_->left_alone_ = left_alone();
}

// The collectives whose calls are all MPI's own: nobody logs them, and no rank has or expects a GPU's driver.
std::uint32_t FirstCall::left_alone() const {
    const Process& self = home_.process();
    if (self.settings.logs() || state_->devices_.may_come()) return 0;
    std::uint32_t collectives = 0;
    for (const auto& traits : algorithms::all_collectives) {
        const auto is_native = [&](Buffers buffers) {
            return state_->plans_[CommState::plan_index(false, traits.collective, buffers)]->always_native();
        };
        if (is_native(Buffers::separate) && is_native(Buffers::in_place))
            collectives |= 1U << static_cast<unsigned>(traits.collective);
    }
    return collectives;
}

template <typename Property>
bool FirstCall::any_plan(const Property& has_property) const {
    return std::ranges::any_of(state_->plans_, [&](const auto& plan) { return has_property(*plan); });
}
bool FirstCall::routes() const {
    return any_plan([](const Plan& plan) { return !plan.always_native(); });
}
// For an algorithm, or for agreements.
bool FirstCall::needs_window() const {
    return home_.process().memory && any_plan([this](const Plan& plan) {
               return plan.uses_shared_memory() || (state_->ranks_per_node_ > 1 && plan.asks_others());
           });
}
bool FirstCall::looks_at_buffer() const {
    return any_plan([](const Plan& plan) { return plan.shortlist().looks_at_buffer; });
}

void FirstCall::name_in_log(const Members& members) {
    Process& self = home_.process();
    // In a run without MPI_Init the first communicator of a rank decides where its records go.
    const std::lock_guard lock(self.opening);
    if (self.run_info.alone && !self.recorder && self.settings.logs()) {
        const auto& first = members.first();
        const auto directory = self.settings.value(Setting::log) + "/" +
                               log::run_directory_name(self.run_info.program, first.start_seconds, first.pid);
        open_recorder(self, directory, state_->rank_, state_->ranks_);
        log::CountedSums::set_current(self.counted.get());
        self.run_info.ranks = state_->ranks_;
        if (state_->rank_ == 0) log::write_run_json(directory, self.run_info, nullptr);
    }
    if (!self.recorder) return;
    log::CommunicatorName name;
    name.number = state_->log_.number = ++self.named_communicators;
    name.id = members.are_world()
                  ? "world"
                  : std::to_string(state_->log_.leader) + ":" + std::to_string(state_->log_.leader_number);
    name.leader = state_->log_.leader;
    name.leader_number = state_->log_.leader_number;
    name.rank = state_->rank_;
    name.ranks = state_->ranks_;
    name.nodes = state_->nodes_;
    name.ranks_per_node = state_->ranks_per_node_;
    name.regions = state_->regions_;
    if (state_->log_.leader == self.world_rank) name.members = members.world_ranks();
    self.recorder->add_name(std::move(name));
}

} // namespace switchyard::shim
