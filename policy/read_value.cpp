#include "read_value.hpp"
#include "spelling.hpp"
#include "synonyms.hpp"
#include "text/lists.hpp"
#include "vocabulary.hpp"

#include <algorithm>
#include <limits>

namespace switchyard::policy {

namespace {

bool has_type(const Value& value, Value::Type type, std::string_view what, std::string_view wanted,
              Findings& findings) {
    if (value.type == type) return true;
    findings.add(value.place,
                 std::string(what) + " is " + std::string(wanted) + "; found " + describe(value));
    return false;
}

// Whether the value is a whole number. A whole number out of range is also a finding.
bool is_integer(const Value& value, std::string_view what, Range possible, std::string_view because,
                Spoils out_of_range_spoils, Findings& findings) {
    const std::string wanted =
        "a whole number, " + between(possible.min, possible.max) + std::string(because);
    if (!has_type(value, Value::Type::integer, what, wanted, findings)) return false;
    if (value.negative || !possible.contains(value.magnitude))
        findings.add(value.place,
                     std::string(what) + " " + describe(value) + " is out of range; it is " + wanted,
                     out_of_range_spoils);
    return true;
}

} // namespace

bool read_object(const Value& value, std::string_view what, Findings& findings) {
    return has_type(value, Value::Type::object, what, "an object", findings);
}

std::optional<std::string> read_string(const Value& value, std::string_view what, Findings& findings) {
    if (!has_type(value, Value::Type::string, what, "a string", findings)) return std::nullopt;
    return value.text;
}

std::optional<std::string> read_text(const Value& value, std::string_view what, std::size_t longest,
                                     Findings& findings) {
    auto text = read_string(value, what, findings);
    if (!text || text->size() <= longest) return text;
    findings.add(value.place, std::string(what) + " has " + std::to_string(text->size()) +
                                  " bytes; the limit is " + std::to_string(longest) + " bytes");
    return std::nullopt;
}

bool read_array(const Value& value, std::string_view what, std::string_view wanted, std::size_t most,
                Findings& findings) {
    if (!has_type(value, Value::Type::array, what, wanted, findings)) return false;
    if (value.children.size() <= most) return true;
    findings.add(value.place, std::string(what) + " has " + std::to_string(value.children.size()) +
                                  " entries; the limit is " + std::to_string(most));
    return false;
}

std::optional<bool> read_boolean(const Value& value, std::string_view what, Findings& findings) {
    if (!has_type(value, Value::Type::boolean, what, "true or false", findings)) return std::nullopt;
    return value.boolean;
}

std::optional<std::uint64_t> read_integer(const Value& value, std::string_view what, Range possible,
                                          Findings& findings, std::string_view because) {
    if (!is_integer(value, what, possible, because, Spoils::policy, findings)) return std::nullopt;
    if (!value.negative && possible.contains(value.magnitude)) return value.magnitude;
    return std::nullopt;
}

std::optional<std::int64_t> read_parameter_value(const Value& value, std::string_view what, Range possible,
                                                 Findings& findings, std::string_view because) {
    if (!is_integer(value, what, possible, because, Spoils::rule, findings)) return std::nullopt;
    constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
    const auto magnitude = static_cast<std::int64_t>(std::min(value.magnitude, largest));
    return value.negative ? -magnitude : magnitude;
}

std::optional<std::size_t> read_word(const Value& value, std::string_view what,
                                     std::span<const std::string_view> words, Findings& findings) {
    const std::vector<std::string_view> known(words.begin(), words.end());
    if (!has_type(value, Value::Type::string, what, "one of " + text::joined(known), findings))
        return std::nullopt;
    const auto found = std::find(known.begin(), known.end(), value.text);
    if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
    const std::string meant = did_you_mean(value.text, known);
    findings.add(value.place, "unknown " + std::string(what) + " " + in_quotes(value.text) +
                                  (meant.empty() ? ";" : meant) + " it is one of " + text::joined(known));
    return std::nullopt;
}

std::optional<std::size_t> read_collective(const Value& value, Findings& findings) {
    const bool is_word = value.type == Value::Type::string;
    if (const std::string why = is_word ? why_not_routed(value.text) : ""; !why.empty()) {
        findings.add(value.place, why);
        return std::nullopt;
    }
    return read_word(value, "collective", algorithms::collective_names, findings);
}

Range read_range(const Value& value, std::string_view what, Range possible, Findings& findings) {
    Range range;
    if (!has_type(value, Value::Type::object, what, R"(a range, {"min": ..., "max": ...})", findings))
        return range;
    report_unknown_keys(value, {range_ends.begin(), range_ends.end()}, findings);
    const Value* min = value.find("min");
    const Value* max = value.find("max");
    if (min == nullptr && max == nullptr)
        findings.add(value.place, std::string(what) + R"( needs "min" or "max" or both)");
    if (min != nullptr) range.min = read_integer(*min, "min", possible, findings).value_or(range.min);
    if (max != nullptr) range.max = read_integer(*max, "max", possible, findings).value_or(range.max);
    if (range.min > range.max) {
        findings.add(value.place, "empty range: min " + std::to_string(range.min) + " is more than max " +
                                      std::to_string(range.max));
        return Range{};
    }
    return range;
}

void report_unknown_keys(const Value& object, const std::vector<std::string_view>& known,
                         Findings& findings) {
    for (const Value& child : object.children) {
        if (std::find(known.begin(), known.end(), child.key) != known.end()) continue;
        const std::string meant = did_you_mean(child.key, known);
        findings.add(child.place, "unknown key " + in_quotes(child.key) + (meant.empty() ? ";" : meant) +
                                      " the keys here are " + text::joined(known));
    }
}

void report_missing_keys(const Value& object, const std::vector<Required>& required, Findings& findings) {
    for (const auto& [key, example] : required)
        if (object.find(key) == nullptr)
            findings.add(object.place, '"' + std::string(key) + "\" is missing, for example \"" +
                                           std::string(key) + "\": " + std::string(example));
}

} // namespace switchyard::policy
