#include "comm_state.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "first_call.hpp"
#include "freeing.hpp"
#include "shim/back_end/arguments/words.hpp"

#include <algorithm>

namespace switchyard::shim {

CommState::CommState(Communicators& home) : home_(&home), types_{home.process().datatype_keyval, {}, {}} {}

CommState::~CommState() {
    if (tag_ != 0) home_->give_back(tag_);
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
    if (state == nullptr) state = FirstCall::state_of(comm, home);
    if (state != nullptr) last_ = {comm, state, freed}; // one rank may not remember the lack of a state
    return state;
}

void CommState::leave_to_entry(const LoadedMpi& loaded, std::uint64_t until) {
    if (left_alone_ == 0) return;
    constexpr Word all = ~Word{0};
    constexpr Word comm_bits = sizeof last_.comm == sizeof(Word) ? all : all >> (8 * sizeof(int));
    loaded.at_once() = {word_of(last_.comm), comm_bits, left_alone_, &log_.calls().seen, &freed_,
                        last_.freed,         until};
}

int CommState::most_blocks() const {
    int most = std::max(blocks(), 1);
    if (!neighbors_) return most;
    const auto& neighbors = neighbors_->of(false);
    return std::max({most, static_cast<int>(neighbors.destinations().size()),
                     static_cast<int>(neighbors.sources().size())});
}

void CommState::ask_for_neighbors(MPI_Comm comm) noexcept {
    asked_for_neighbors_ = true;
    neighbors_ = Neighbors::of(comm, rank_, ranks_);
    learn_of_neighbors(comm);
    if (neighbors_) neighbor_peers_ = Peers::of(neighbors_->of(false), rank_);
}

void CommState::learn_of_neighbors(MPI_Comm comm) noexcept {
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    if (!resources_ || kind == MPI_UNDEFINED || resources_->are_lost()) return;
    bool may_route = false, knows_edges = false;
    for (const auto& plan : plans_) {
        if (!algorithms::traits_of(plan->collective()).is_among_neighbors || plan->always_native()) continue;
        may_route = true;
        knows_edges = knows_edges || plan->knows_edges();
    }
    if (!may_route) return;
    if (neighbors_ && !resources_->make_room_for(neighbors_->of(false))) neighbors_.reset();
    if (!Neighbors::meet(neighbors_.get(), resources_->group, comm, knows_edges)) neighbors_.reset();
}

bool CommState::retire() {
    retired_ = true;
    devices_.release();
    return log_.leader == home_->process().world_rank;
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
