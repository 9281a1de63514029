// The time of a plan on a machine: one round after the other, each as long as its slowest rank needs.
#pragma once

#include "counts.hpp"
#include "machine.hpp"
#include "plan.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace switchyard::shim::predict {

// What a rank waits for or works at.
enum class Bound : std::uint8_t {
    latency,  // of messages
    overhead, // of the processor, for messages
    pair,     // bandwidth between two ranks
    nic,      // bandwidth of a node, which its ranks share; "card" in output
    packing,  // copies inside a rank
    memory,   // meeting in memory that the ranks of a node share, and its bandwidth
};
inline constexpr std::array bound_names = {std::string_view{"latency"}, std::string_view{"overhead"},
                                           std::string_view{"pair"},    std::string_view{"card"},
                                           std::string_view{"packing"}, std::string_view{"memory"}};

// Microseconds, by what they are spent on.
class Spent {
  public:
    void add(Bound bound, double us) { us_[static_cast<std::size_t>(bound)] += us; }
    void add(const Spent& more, double times) {
        for (std::size_t i = 0; i < us_.size(); ++i) us_[i] += times * more.us_[i];
    }
    double on(Bound bound) const { return us_[static_cast<std::size_t>(bound)]; }
    double all() const;
    Bound most() const; // what takes the most of it

  private:
    std::array<double, bound_names.size()> us_{};
};

class Walk final : public Sink {
  public:
    Walk(const Machine& machine, const algorithms::GroupShape& shape);

    void round(const Round& round) override;
    const Spent& spent() const { return spent_; }
    Counts counts() const { return counter_.counts(); }

  private:
    struct Node {          // what all ranks of the node do together in a round
        double nic_us = 0; // for the bytes of all messages
        double copied = 0; // bytes
        double far = 1; // the share of the latency between nodes that the slowest way through the round has
    };
    struct Way {                                      // a rank's messages through a round, microseconds
        double packing_out, packing_in, packing_last; // for the sends, for the receives, after all of them
        double sending, receiving;                    // all messages, with their packing
        double latency, pair;                         // one message
        double out, in, at_once;                      // messages each way; under way at once
    };
    Node node_of(const Round& round) const;
    Way way_of(const Round& round, const Load& load, const Node& node) const;
    double nic_way(const Round& round, const Way& way, const Node& node) const;
    Spent messages_of(const Round& round, const Load& load, const Node& node) const;
    Spent copies_of(const Load& load, const Node& node) const;
    Spent overlapping_of(const Round& round, const Load& load, const Node& node) const;
    Spent time_of(const Round& round, const Load& load, const Node& node) const;
    Spent slowest_of(const Round& round) const;
    double copy_us(const Amount& copies) const;
    double nic_us_of(const Amount& messages) const;

    const Machine& machine_;
    const double nodes_, local_ranks_;
    double rounds_ = 0; // with messages, so far
    Spent spent_;
    Counter counter_;
};

} // namespace switchyard::shim::predict
