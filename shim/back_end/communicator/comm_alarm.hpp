// The alarm of one communicator: rings when the program has revoked it or one of its ranks is dead.
// From then on the MPI refuses its collectives. So a routed call ends and becomes a native one, which
// gives the MPI's own error.
#pragma once

#include "algorithms/transport/messages/alarm.hpp"
#include "shim/back_end/process/clock.hpp"
#include "shim/back_end/process/ulfm.hpp"

#include <cstdint>

namespace switchyard::shim {

class CommAlarm final : public algorithms::Alarm {
  public:
    CommAlarm(const Ulfm& ulfm, MPI_Comm comm) : ulfm_(ulfm), comm_(comm) {}
    // Our own communicator, on which its messages travel.
    void watch_over(MPI_Comm carrier) { carrier_ = carrier; }

    bool rings() override {
        if (rings_) return true;
        const auto now = Clock::now();
        if (now - looked_ < between_looks) return false;
        looked_ = now;
        return look();
    }
    // The other ranks may wait for messages of this rank, which sends none from now on: the MPI tells them.
    // They may hear of it before they hear of the dead rank.
    bool look() override {
        if (!rings_ && (ulfm_.is_revoked_here(carrier_) || ulfm_.is_given_up(comm_))) {
            rings_ = true;
            ulfm_.revoke(carrier_);
        }
        return rings_;
    }

  private:
    static constexpr std::uint64_t between_looks = 100'000; // ns
    const Ulfm& ulfm_;
    MPI_Comm comm_, carrier_ = MPI_COMM_NULL;
    std::uint64_t looked_ = 0;
    bool rings_ = false;
};

} // namespace switchyard::shim
