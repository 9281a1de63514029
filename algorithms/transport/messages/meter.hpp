// What an exchange costs one rank: its messages, the time of its phases, and in a simulator the time of its own
// work.
#pragma once

#include "algorithms/phases.hpp"
#include "simulation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms {

// The messages that one rank sent since the last reset.
struct Traffic {
    std::uint64_t messages = 0; // as MPI sees them: a transfer over the limit counts several
    std::uint64_t bytes = 0;
    std::uint32_t rounds = 0;         // times that the rank waited for others
    std::uint32_t most_under_way = 0; // messages at once, sent and received
    // The share to ranks of other nodes.
    std::uint64_t messages_inter = 0, bytes_inter = 0;

    void add_sent(const Traffic& more) {
        messages += more.messages;
        bytes += more.bytes;
        messages_inter += more.messages_inter;
        bytes_inter += more.bytes_inter;
    }
};

class Meter {
  public:
    Meter() = default;
    // Counts into the traffic of somebody else.
    explicit Meter(Traffic* traffic) : traffic_(traffic) {}
    Meter(const Meter&) = delete;
    Meter& operator=(const Meter&) = delete;
    ~Meter() = default;

    Traffic& traffic() { return *traffic_; }
    const Traffic& traffic() const { return *traffic_; }
    void reset() { *traffic_ = {}; }
    void count_round() { ++traffic_->rounds; }
    void count_sent(std::uint64_t messages, std::uint64_t bytes, bool is_near) {
        traffic_->messages += messages;
        traffic_->bytes += bytes;
        if (is_near) return;
        traffic_->messages_inter += messages;
        traffic_->bytes_inter += bytes;
    }
    void add_sent(const Traffic& sent) { traffic_->add_sent(sent); }
    // Call it before messages end: so it sees the most messages under way without a look at every start.
    void note_under_way(std::size_t messages) {
        traffic_->most_under_way = std::max(traffic_->most_under_way, static_cast<std::uint32_t>(messages));
    }

    // From here on `times` hears of the phases of the exchange. Null: no object hears.
    void tell_phases(PhaseTimes* times) { phases_ = times; }
    // The phase begins.
    void enter(Phase phase) {
        if (phases_ != nullptr) [[unlikely]]
            tell_of(phase);
    }
    // The phases of the exchange are over.
    void end_phases() {
        if (phases_ != nullptr) phases_->end(own_time_.ahead_ns());
    }

    // Lets this rank's own work pass as time, in a simulator.
    void pass_time() { own_time_.pass(); }

  private:
    [[gnu::cold, gnu::noinline]] void tell_of(Phase phase) { phases_->enter(phase, own_time_.ahead_ns()); }

    Traffic own_traffic_;
    Traffic* traffic_ = &own_traffic_;
    PhaseTimes* phases_ = nullptr;
    simulation::OwnTime own_time_;
};

} // namespace switchyard::algorithms
