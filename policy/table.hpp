// A parsed policy: rules in order, first match wins.
#pragma once

#include "features.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace switchyard::policy {

// Both ends included.
struct Range {
    std::uint64_t min = 0;
    std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    bool contains(std::uint64_t value) const { return min <= value && value <= max; }
    bool operator==(const Range&) const = default;
};

// A left-out key matches everything.
struct When {
    std::optional<Collective> collective;
    Range ranks, max_block_bytes, ranks_per_node, nodes;
    std::optional<Buffer> buffer;
    std::optional<bool> in_place;
};

enum class Transfer : std::uint8_t { direct, staged };

struct Use {
    std::string algorithm = "native";
    std::array<std::optional<std::int64_t>, algorithms::parameter_count>
        parameters{}; // by Parameter; as given
    std::optional<Transfer> transfer;
    std::optional<std::uint64_t> memory_limit_bytes;
    std::optional<std::uint64_t> chunk_bytes;
    // Of `adaptive`, which tries them and native at run time; empty: the use names what is to run.
    std::vector<Use> candidates;
    std::uint64_t trials = preset_trials; // of each

    static constexpr std::uint64_t preset_trials = 5;
    bool is_adaptive() const { return !candidates.empty(); }
    bool operator==(const Use&) const = default;
};

struct Rule {
    std::string name;
    When when;
    Use use;
    std::string because;
};

struct Policy {
    std::vector<Rule> rules;
    Use otherwise;
};

} // namespace switchyard::policy
