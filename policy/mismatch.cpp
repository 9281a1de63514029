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

std::string why_not_this_buffer(const Rule& rule, Buffer buffer) {
    if (!rule.when.buffer || *rule.when.buffer == buffer) return "";
    return "it is for " + std::string(buffer_names[static_cast<std::size_t>(*rule.when.buffer)]) +
           " buffers only";
}

} // namespace

std::string why_not_met(const Rule& rule, const Features& call) {
    if (std::string why = why_never_met(rule, call); !why.empty()) return why;
    for (const RangeKey& key : range_keys())
        if (!key.fixed)
            if (std::string why = why_out_of(key, rule.when.*key.range, call); !why.empty()) return why;
    return why_not_this_buffer(rule, call.buffer);
}

std::string why_never_met(const Rule& rule, const FixedFeatures& fixed) {
    if (std::string why = why_not_this_collective(rule, fixed.collective); !why.empty()) return why;
    for (const RangeKey& key : range_keys())
        if (key.fixed)
            if (std::string why = why_out_of(key, rule.when.*key.range, Features{fixed}); !why.empty())
                return why;
    if (rule.when.in_place && *rule.when.in_place != fixed.in_place)
        return fixed.in_place ? "it is not for calls in place" : "it is for calls in place only";
    return fixed.devices ? "" : why_not_this_buffer(rule, Buffer::host);
}

} // namespace switchyard::policy
