// JSON text as a tree. It keeps the place of each value, and both values of a key that is given twice.
// Comments (// and /* */) are passed over. nlohmann-json parses it, but the library's own tree keeps neither
// places nor second values in Debian 12 and 13 (3.11), and `switchyard check` tells people both.
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
    // `integer` is a number without a fraction, however it is written (1, 1.0, 1e3);
    // `fraction` is any other number.
    enum class Type : std::uint8_t { null, boolean, integer, fraction, string, array, object };

    Type type = Type::null;
    bool boolean = false;
    bool negative = false;       // of an integer
    std::uint64_t magnitude = 0; // of an integer
    std::string text;            // of a string; of a number as it is written
    std::vector<Value> children; // of an array or an object
    std::string key;             // if the parent is an object
    Place place;

    const Value* find(std::string_view name) const; // in an object; null when there is none
};

// The value in a message: `-3`, `"text"`, `an array`.
std::string describe(const Value& value);

// Levels of objects and arrays; a policy needs five.
inline constexpr std::size_t deepest_nesting = 16;

// Nothing if the text is not JSON, or is nested too deeply. If a key is given twice, there is a
// finding, and still a tree.
std::optional<Value> read_document(std::string_view text, Findings& findings);

} // namespace switchyard::policy
