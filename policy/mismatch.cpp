#include "mismatch.hpp"
#include "keys.hpp"
#include "vocabulary.hpp"

#include <limits>

namespace switchyard::policy {

namespace {

std::string why_not_this_number(const Key& key, const Range& wanted, std::uint64_t value) {
    const std::string is = std::string(key.name) + ' ' + std::to_string(value) + " is ";
    return value < wanted.min ? is + "below its minimum " + std::to_string(wanted.min)
                              : is + "above its maximum " + std::to_string(wanted.max);
}

// For a value that the rule does not want.
std::string why_not(const Key& key, const When& when, std::uint64_t value) {
    const Range wanted = key.wanted(when);
    const std::string noun(key.noun);
    switch (key.kind) {
    case Key::Kind::number: return why_not_this_number(key, wanted, value);
    case Key::Kind::word: return "it is for " + std::string(key.words[wanted.min]) + noun + " only";
    case Key::Kind::yes_or_no:
        return wanted.contains(1) ? "it is for " + noun + " only" : "it is not for " + noun;
    }
    return "";
}

bool has_algorithm(const Rule& rule, Collective collective) {
    const bool is_for_it = rule.when.collective.value_or(collective) == collective;
    return !is_for_it || find(collective, rule.use.algorithm) != nullptr;
}

std::string why_no_algorithm(const Rule& rule, Collective collective) {
    return std::string(name_of(collective)) + " has no algorithm \"" + rule.use.algorithm + '"';
}

constexpr std::size_t all_met = std::numeric_limits<std::size_t>::max();

// Where the walk over the conditions stopped, and at which key; without a key it stopped at the algorithm.
struct Stop {
    std::size_t met = all_met;
    const Key* key = nullptr;
    std::uint64_t value = 0;
};

bool meets(const Key& key, const Rule& rule, std::uint64_t value) {
    return key.wanted(rule.when).contains(value);
}

Stop first_never_met(const Rule& rule, const FixedFeatures& fixed, std::size_t& met) {
    if (!has_algorithm(rule, fixed.collective)) return {met};
    ++met;
    for (const Key& key : when_keys()) {
        if (!key.is_fixed()) continue;
        if (!meets(key, rule, key.fixed_value(fixed))) return {met, &key, key.fixed_value(fixed)};
        ++met;
    }
    const Key& buffer = when_keys()[key::buffer];
    const auto host = static_cast<std::uint64_t>(Buffer::host);
    if (!fixed.devices && !meets(buffer, rule, host)) return {met, &buffer, host};
    ++met;
    return {};
}

Stop first_not_met_at(const Rule& rule, const Features& call) {
    std::size_t met = 0;
    if (const Stop stop = first_never_met(rule, call, met); stop.met != all_met) return stop;
    for (const Key& key : when_keys()) {
        if (key.is_fixed()) continue;
        if (!meets(key, rule, key.value(call))) return {met, &key, key.value(call)};
        ++met;
    }
    return {};
}

std::string why(const Stop& stop, const Rule& rule, Collective collective) {
    if (stop.met == all_met) return "";
    return stop.key == nullptr ? why_no_algorithm(rule, collective)
                               : why_not(*stop.key, rule.when, stop.value);
}

} // namespace

Mismatch first_not_met(const Rule& rule, const Features& call) {
    const Stop stop = first_not_met_at(rule, call);
    return {stop.met, why(stop, rule, call.collective)};
}

std::size_t conditions_met(const Rule& rule, const Features& call) {
    return first_not_met_at(rule, call).met;
}

std::string why_not_met(const Rule& rule, const Features& call) {
    return first_not_met(rule, call).why;
}

bool is_met(const Rule& rule, const Features& call) {
    return conditions_met(rule, call) == all_met;
}

bool can_be_met(const Rule& rule, const FixedFeatures& fixed) {
    std::size_t met = 0;
    return first_never_met(rule, fixed, met).met == all_met;
}

} // namespace switchyard::policy
