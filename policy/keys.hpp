// The keys of `when` as data: the lines of keys.def. A rule's condition and a call's fact are both numbers
// here (a word is its place among the words), so comparing the two needs no case for each key.
#pragma once

#include "table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace switchyard::policy {

struct Key {
    enum class Kind : std::uint8_t { number, word, yes_or_no };

    std::string_view name;
    Kind kind;
    Range possible;                          // values that a call can have
    std::span<const std::string_view> words; // of kind `word`
    std::string_view noun, option, help;     // as in keys.def

    Range (*wanted)(const When&); // everything if the rule does not give the key
    void (*want)(When&, const Range&);
    std::uint64_t (*value)(const Features&);
    void (*set)(Features&, std::uint64_t);
    std::uint64_t (*fixed_value)(const FixedFeatures&); // null if the value may differ from call to call

    constexpr bool is_fixed() const { return fixed_value != nullptr; }
};

// The places of the keys in when_keys().
namespace key {
enum Place : std::size_t {
#define SWITCHYARD_KEY(name, ...) name,
#include "keys.def"
    count
};
} // namespace key

std::span<const Key, key::count> when_keys();

std::vector<std::string_view> names_of_when_keys();

} // namespace switchyard::policy
