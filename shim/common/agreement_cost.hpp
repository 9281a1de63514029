// What the agreement before calls cost a run, and which rule of its policy is the cause.
#pragma once

#include "policy/table.hpp"

#include <map>
#include <string>

namespace switchyard::shim {

// Sums over calls and their ranks. Any unit of time, but the same for all sums.
class AgreementCost {
  public:
    void add_time(double whole, double agreeing) {
        whole_ += whole;
        agreeing_ += agreeing;
    }
    // The kind of calls whose ranks agreed for so long: a policy can only be blamed for known kinds.
    void add_cause(const policy::FixedFeatures& kind, double agreeing) { kinds_[kind] += agreeing; }

    double share() const { return whole_ > 0 ? agreeing_ / whole_ : 0; }
    // `wall`: the wall time of the run, times its ranks; 0: not known.
    bool is_worth_a_sentence(double wall) const;
    // `35.2% of the time in collectives spent agreeing: drop max_block_bytes of rule "small blocks"`
    std::string sentence(const policy::Policy& policy) const;

  private:
    double whole_ = 0, agreeing_ = 0;
    std::map<policy::FixedFeatures, double> kinds_;
};

} // namespace switchyard::shim
