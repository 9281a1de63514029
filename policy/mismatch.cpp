#include "mismatch.hpp"
#include "keys.hpp"
#include "vocabulary.hpp"

namespace switchyard::policy {

namespace {

std::string why_not_this_number(const Key& key, const Range& wanted, std::uint64_t value) {
    const std::string is = std::string(key.name) + ' ' + std::to_string(value) + " is ";
    return value < wanted.min ? is + "below its minimum " + std::to_string(wanted.min)
                              : is + "above its maximum " + std::to_string(wanted.max);
}

std::string why_not(const Key& key, const When& when, std::uint64_t value) {
    const Range wanted = key.wanted(when);
    if (wanted.contains(value)) return "";
    const std::string noun(key.noun);
    switch (key.kind) {
    case Key::Kind::number: return why_not_this_number(key, wanted, value);
    case Key::Kind::word: return "it is for " + std::string(key.words[wanted.min]) + noun + " only";
    case Key::Kind::yes_or_no:
        return wanted.contains(1) ? "it is for " + noun + " only" : "it is not for " + noun;
    }
    return "";
}

std::string why_no_algorithm(const Rule& rule, Collective collective) {
    const bool is_for_it = rule.when.collective.value_or(collective) == collective;
    if (!is_for_it || serves(rule.use, collective)) return "";
    return std::string(name_of(collective)) + (rule.use.is_adaptive()
                                                   ? " has none of its candidates"
                                                   : " has no algorithm \"" + rule.use.algorithm + '"');
}

} // namespace

std::string why_not_met(const Rule& rule, const Features& call) {
    if (std::string why = why_never_met(rule, call); !why.empty()) return why;
    for (const Key& key : when_keys())
        if (std::string why = why_not(key, rule.when, key.value(call)); !why.empty()) return why;
    return "";
}

std::string why_never_met(const Rule& rule, const FixedFeatures& fixed) {
    if (std::string why = why_no_algorithm(rule, fixed.collective); !why.empty()) return why;
    for (const Key& key : when_keys())
        if (key.is_fixed())
            if (std::string why = why_not(key, rule.when, key.fixed_value(fixed)); !why.empty()) return why;
    if (fixed.devices) return "";
    return why_not(when_keys()[key::buffer], rule.when, static_cast<std::uint64_t>(Buffer::host));
}

} // namespace switchyard::policy
