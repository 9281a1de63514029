// Adds up a plan as the benchmark counts: each number is that of the rank that has the most.
#pragma once

#include "plan.hpp"

#include <vector>

namespace switchyard::shim::predict {

struct Counts {
    double messages = 0, bytes = 0; // sent
    double messages_inter = 0, bytes_inter = 0;
    double rounds = 0;

    bool operator==(const Counts&) const = default;
};

class Counter {
  public:
    void add(const Round& round);
    Counts counts() const;

  private:
    void add(const Load& load, const Round& round, Counts& to) const;

    Counts of_all_;               // from rounds with one load for all ranks
    std::vector<Counts> of_each_; // by local rank, from the other rounds
};

} // namespace switchyard::shim::predict
