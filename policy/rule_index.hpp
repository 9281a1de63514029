// The rules that a call meets, found by a look-up for each key of `when`. Without it, asking for many calls
// would compare each call with each rule.
#pragma once

#include "keys.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace switchyard::policy {

class RuleIndex {
  public:
    explicit RuleIndex(const Policy& policy);

    // Places in Policy::rules, in their order. A rule that names no collective is among them even if the
    // call's collective has none of its algorithms.
    std::vector<std::size_t> met_by(const Features& call) const;
    // The rules that some call with these features can meet.
    std::vector<std::size_t> met_by(const FixedFeatures& fixed) const;

  private:
    using Rules = std::vector<std::uint64_t>; // a bit for each rule

    // The values of one key, in stretches whose values meet the same rules.
    struct Stretches {
        std::vector<std::uint64_t> begins; // ascending, the first is 0
        std::vector<Rules> rules;          // of each stretch
        const Rules& at(std::uint64_t value) const;
    };

    Stretches stretches_of(const Policy& policy, const Key& key) const;
    template <typename Value>
    std::vector<std::size_t> in_all(const Value& value_of) const;

    std::size_t words_; // of a Rules
    std::array<Stretches, key::count> keys_;
};

} // namespace switchyard::policy
