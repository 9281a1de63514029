// What a setting of an algorithm would take on a machine: time, messages, memory.
#pragma once

#include "machine.hpp"
#include "walk.hpp"

#include "policy/match.hpp"

#include <cstddef>
#include <cstdint>

namespace switchyard::shim::predict {

// Where a collective is called, and with which blocks.
struct Call {
    algorithms::Collective collective;
    algorithms::GroupShape shape;
    bench::Distribution distribution;
    std::size_t max_block; // bytes, as the benchmark is asked for
};

// Counts are those of the rank that has the most.
struct Prediction {
    Spent spent;
    Counts counts;
    std::uint64_t scratch_bytes = 0;
    double us() const { return spent.all(); }
};

// Predictions for one call, with any number of settings.
class Predictor {
  public:
    Predictor(const Machine& machine, const Call& call);

    Prediction of(const policy::Choice& choice) const;
    // What an agreement on the largest block takes before a call.
    double agreement_us() const;
    // A rank's send and receive buffers, bytes.
    double buffer_bytes() const;
    double largest_block() const { return blocks_.all().largest; }

  private:
    const Machine& machine_;
    const Call call_;
    const Blocks blocks_;
};

// GroupShape of nodes with so many ranks each. The last node has the rest.
algorithms::GroupShape shape_of(int ranks, int ranks_per_node);

} // namespace switchyard::shim::predict
