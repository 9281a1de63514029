// JSON text as a tree that remembers where each value stands and every key, also one that is given twice.
#pragma once

#include "findings.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::policy {

struct Value {
    // `integer` is any number without a fraction, however it is written; `fraction` is every other number.
    enum class Type : std::uint8_t { null, boolean, integer, fraction, string, array, object };

    Type type = Type::null;
    bool boolean = false;
    bool negative = false;       // of an integer
    std::uint64_t magnitude = 0; // of an integer
    std::string text;            // of a string; of a number: how it is written
    std::vector<Value> children; // of an array or an object
    std::string key;             // where the parent is an object
    Place place;

    const Value* find(std::string_view name) const; // in an object; null when there is none
};

// A value for people: `-3`, `"text"`, `an array`.
std::string describe(const Value& value);

// Objects and arrays inside each other; a policy needs five.
inline constexpr std::size_t deepest_nesting = 16;

// Nothing where the text is not JSON or is nested too deeply. A key given twice is a finding too, but the
// tree stands.
std::optional<Value> read_document(std::string_view text, Findings& findings);

} // namespace switchyard::policy
