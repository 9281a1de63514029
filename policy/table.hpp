// A parsed policy: rules in order, first match wins.
#pragma once

#include "features.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace switchyard::policy {

// Both ends included.
struct Range {
    std::uint64_t min = 0;
    std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    constexpr bool contains(std::uint64_t value) const { return min <= value && value <= max; }
    bool operator==(const Range&) const = default;
};

constexpr Range exactly(std::uint64_t value) {
    return {value, value};
}

// What a rule may ask of a fact: a range of numbers, or one of the words.
template <typename Fact>
using Condition =
    std::conditional_t<std::is_enum_v<Fact> || std::is_same_v<Fact, bool>, std::optional<Fact>, Range>;

// A member for each key of keys.def: collective, ranks, ranks_per_node, nodes, network, max_block_bytes,
// total_bytes, skew, buffer, in_place. A key that is left out matches everything.
struct When {
#define SWITCHYARD_KEY(name, ...) Condition<decltype(Features::name)> name;
#include "keys.def"
};

enum class Transfer : std::uint8_t { direct, staged, ipc };

struct Use {
    std::string algorithm = "native";
    // As given, by Parameter.
    std::array<std::optional<std::int64_t>, algorithms::parameter_count> parameters{};
    std::optional<Transfer> transfer;
    std::optional<std::uint64_t> memory_limit_bytes;
    std::optional<std::uint64_t> chunk_bytes;
    bool barrier_before = false;                  // all ranks wait for each other before the call
    std::optional<std::uint64_t> in_flight_limit; // sends, and receives, under way at once on a rank
};

struct Rule {
    std::string name; // `rule 2` if the policy gives none
    When when;
    Use use;
    std::string because;
};

struct Policy {
    std::vector<Rule> rules;
    Use otherwise;
};

} // namespace switchyard::policy
