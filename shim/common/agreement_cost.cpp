#include "agreement_cost.hpp"

#include "formatted.hpp"
#include "policy/agreement_advice.hpp"

#include <algorithm>

namespace switchyard::shim {

namespace {

// Times of runs in turn spread by some percent, so nobody would notice a smaller gain in the collectives. One
// percent of the wall time is the least that is worth a change of the policy.
constexpr double least_of_collectives = 0.05, least_of_wall = 0.01;

} // namespace

bool AgreementCost::is_worth_a_sentence(double wall) const {
    return agreeing_ > 0 && share() >= least_of_collectives && agreeing_ >= least_of_wall * wall;
}

std::string AgreementCost::sentence(const policy::Policy& policy) const {
    const auto text = formatted("{:.1f}% of the time in collectives spent agreeing", 100 * share());
    if (kinds_.empty()) return text;
    const auto& costliest =
        std::ranges::max_element(kinds_, {}, [](const auto& one) { return one.second; })->first;
    const auto changes = policy::how_to_spare_agreement(policy, costliest);
    return changes.empty() ? text : text + ": " + changes;
}

} // namespace switchyard::shim
