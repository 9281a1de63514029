#include "rule_index.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

namespace switchyard::policy {

namespace {

constexpr std::size_t bits = std::numeric_limits<std::uint64_t>::digits;

std::vector<std::uint64_t> begins_of(const Policy& policy, const Key& key) {
    std::vector<std::uint64_t> begins = {0};
    for (const Rule& rule : policy.rules) {
        const Range wanted = key.wanted(rule.when);
        begins.push_back(wanted.min);
        if (wanted.max < std::numeric_limits<std::uint64_t>::max()) begins.push_back(wanted.max + 1);
    }
    std::ranges::sort(begins);
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    return begins;
}

} // namespace

RuleIndex::RuleIndex(const Policy& policy) : words_((policy.rules.size() + bits - 1) / bits) {
    std::ranges::transform(when_keys(), keys_.begin(),
                           [&](const Key& key) { return stretches_of(policy, key); });
}

RuleIndex::Stretches RuleIndex::stretches_of(const Policy& policy, const Key& key) const {
    Stretches stretches{begins_of(policy, key), {}};
    stretches.rules.assign(stretches.begins.size(), Rules(words_));
    for (std::size_t rule = 0; rule < policy.rules.size(); ++rule) {
        const Range wanted = key.wanted(policy.rules[rule].when);
        const auto first = std::ranges::lower_bound(stretches.begins, wanted.min);
        for (auto begin = first; begin != stretches.begins.end() && *begin <= wanted.max; ++begin)
            stretches.rules[static_cast<std::size_t>(begin - stretches.begins.begin())][rule / bits] |=
                std::uint64_t{1} << rule % bits;
    }
    return stretches;
}

const RuleIndex::Rules& RuleIndex::Stretches::at(std::uint64_t value) const {
    return rules[static_cast<std::size_t>(std::ranges::upper_bound(begins, value) - begins.begin()) - 1];
}

// The rules that the value of each key meets; a key without a value is passed over.
template <typename Value>
std::vector<std::size_t> RuleIndex::in_all(const Value& value_of) const {
    Rules left(words_, ~std::uint64_t{0});
    for (std::size_t place = 0; place < keys_.size(); ++place) {
        const std::optional<std::uint64_t> value = value_of(when_keys()[place]);
        if (!value) continue;
        const Rules& rules = keys_[place].at(*value);
        for (std::size_t word = 0; word < words_; ++word) left[word] &= rules[word];
    }
    std::vector<std::size_t> places;
    for (std::size_t word = 0; word < words_; ++word)
        for (auto rest = left[word]; rest != 0; rest &= rest - 1)
            places.push_back(word * bits + static_cast<std::size_t>(std::countr_zero(rest)));
    return places;
}

std::vector<std::size_t> RuleIndex::met_by(const Features& call) const {
    return in_all([&](const Key& key) { return std::optional(key.value(call)); });
}

std::vector<std::size_t> RuleIndex::met_by(const FixedFeatures& fixed) const {
    return in_all([&](const Key& key) {
        return key.is_fixed() ? std::optional(key.fixed_value(fixed)) : std::nullopt;
    });
}

} // namespace switchyard::policy
