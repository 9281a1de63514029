// The first call on a communicator: its ranks meet, agree on what they can do, and each gets its state. What
// only this call needs is gone afterwards.
#pragma once

#include "comm_state.hpp"
#include "members.hpp"

#include <memory>
#include <vector>

namespace switchyard::shim {

class OwnRanks;

class FirstCall {
  public:
    // Collective. Null on all ranks of the communicator if no state could be made:
    // then the call is forwarded.
    static CommState* state_of(MPI_Comm comm, Communicators& home);

  private:
    FirstCall(MPI_Comm comm, Communicators& home, const Offer& offer);
    ~FirstCall();
    FirstCall(const FirstCall&) = delete;
    FirstCall& operator=(const FirstCall&) = delete;

    // Abilities of a rank.
    enum Ability : unsigned { can_exist = 1, can_route = 2, can_share = 4 };
    // What all ranks can do, after a vote. False: no state.
    bool find_abilities(const OwnRanks& own_ranks);
    void meet(const OwnRanks& own_ranks, const Members& members);
    void take_place(const Members& members);
    void take_devices(const Members& members);
    void name_in_log(const Members& members);
    CommState::PlanList plans_of(const char* only_native, bool shared_memory) const;
    // What this rank can take part in: bits of Ability. No communication.
    unsigned prepare(const Members& members);
    void make_resources(const Members& members);
    bool carry_alone();
    bool share_after_meeting();
    void settle();
    void take_section_back();
    std::uint32_t left_alone() const;
    template <typename Property>
    bool any_plan(const Property& has_property) const;
    bool routes() const;
    bool needs_window() const;
    bool looks_at_buffer() const;

    MPI_Comm comm_;
    Communicators& home_;
    Offer offer_;            // its section is ours until a window has it
    unsigned abilities_ = 0; // of all ranks
    std::unique_ptr<CommState> state_;
    std::vector<algorithms::NodeMemory::Place> sections_; // by rank
    int node_cores_ = 1;                                  // that the ranks on this node may run on together
    CommState::PlanList without_resources_, without_window_;
};

} // namespace switchyard::shim
