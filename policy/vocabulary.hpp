// The closed vocabulary of a policy: its keys, words and bounds. The parser, the explanations and the test of
// the JSON Schema read it here. The keys of `when` have a table of their own, keys.hpp.
#pragma once

#include "table.hpp"

#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace switchyard::policy {

inline constexpr std::uint64_t policy_version = 1;

inline constexpr std::array policy_keys = {std::string_view{"$schema"}, std::string_view{"version"},
                                           std::string_view{"rules"}, std::string_view{"otherwise"}};
inline constexpr std::array rule_keys = {std::string_view{"name"}, std::string_view{"when"},
                                         std::string_view{"use"}, std::string_view{"because"}};
inline constexpr std::array range_ends = {std::string_view{"min"}, std::string_view{"max"}};
// Keys of `use`, in addition to the parameters of its algorithm.
inline constexpr std::array use_keys = {
    std::string_view{"algorithm"},          std::string_view{"transfer"},
    std::string_view{"memory_limit_bytes"}, std::string_view{"chunk_bytes"},
    std::string_view{"barrier_before"},     std::string_view{"in_flight_limit"}};

// How much a policy may ask for: more than people and tuners write, but so little that a run and its end take
// no longer. Texts in bytes. A whole policy has at most largest_policy_bytes (parse.hpp).
inline constexpr std::size_t most_rules = 1000;
inline constexpr std::size_t longest_name = 1000;
inline constexpr std::size_t longest_because = 10'000;

inline constexpr std::array transfer_names = {std::string_view{"direct"}, std::string_view{"staged"},
                                              std::string_view{"ipc"}};

inline constexpr std::uint64_t most_ranks = std::numeric_limits<int>::max();
// Received bytes that are copied to the device at once, in one piece, while other blocks are under way.
inline constexpr std::uint64_t preset_chunk_bytes = std::uint64_t{4} << 20U;
inline constexpr std::uint64_t most_in_flight = std::numeric_limits<int>::max();
// 2^53 - 1. Editors and plotting scripts that keep JSON numbers as doubles change larger numbers.
inline constexpr std::uint64_t most_bytes = (std::uint64_t{1} << 53U) - 1;

// Names of the algorithms of one collective, in the order of the registry.
std::vector<std::string_view> algorithms_of(Collective collective);

// The algorithms of that name, of all collectives or of `only` one.
std::vector<const algorithms::Traits*> find_all(std::string_view name, std::optional<Collective> only);

} // namespace switchyard::policy
