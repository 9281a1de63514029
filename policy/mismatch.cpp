#include "mismatch.hpp"
#include "vocabulary.hpp"

namespace switchyard::policy {

namespace {

std::string why_out_of(const RangeKey& key, const Range& range, const Features& call) {
    const std::uint64_t value = key.value(call);
    if (range.contains(value)) return "";
    const std::string is = std::string(key.name) + ' ' + std::to_string(value) + " is ";
    return value < range.min ? is + "below its minimum " + std::to_string(range.min)
                             : is + "above its maximum " + std::to_string(range.max);
}

std::string why_not_this_collective(const Rule& rule, Collective collective) {
    if (rule.when.collective && *rule.when.collective != collective)
        return "it is for " + std::string(name_of(*rule.when.collective)) + " only";
    if (serves(rule.use, collective)) return "";
    return std::string(name_of(collective)) + (rule.use.is_adaptive()
                                                   ? " has none of its candidates"
                                                   : " has no algorithm \"" + rule.use.algorithm + '"');
}

} // namespace

std::string why_not_met(const Rule& rule, const Features& call, Keys keys) {
    if (std::string why = why_not_this_collective(rule, call.collective); !why.empty()) return why;
    for (const RangeKey& key : range_keys())
        if (key.fixed || keys == Keys::all)
            if (std::string why = why_out_of(key, rule.when.*key.range, call); !why.empty()) return why;
    if (rule.when.in_place && *rule.when.in_place != call.in_place)
        return call.in_place ? "it is not for calls in place" : "it is for calls in place only";
    const bool buffer_is_known = keys == Keys::all || !call.devices;
    if (buffer_is_known && rule.when.buffer && *rule.when.buffer != call.buffer)
        return "it is for " + std::string(buffer_names[static_cast<std::size_t>(*rule.when.buffer)]) +
               " buffers only";
    return "";
}

} // namespace switchyard::policy
