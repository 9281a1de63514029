// The closed vocabulary of a policy: its keys, words and bounds. The parser, the matcher, the explanations
// and the test of the JSON Schema all read it here.
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
// Of `use`, next to the parameters of its algorithm.
inline constexpr std::array use_keys = {std::string_view{"algorithm"}, std::string_view{"transfer"},
                                        std::string_view{"memory_limit_bytes"},
                                        std::string_view{"chunk_bytes"}};
// Of a `use` whose algorithm is found at run time; everything else stands in its candidates.
inline constexpr std::string_view adaptive_name = "adaptive";
inline constexpr std::array adaptive_keys = {std::string_view{"algorithm"}, std::string_view{"candidates"},
                                             std::string_view{"trials"}};
inline constexpr std::uint64_t most_trials = 1000;
inline constexpr std::array transfer_names = {std::string_view{"direct"}, std::string_view{"staged"}};

inline constexpr std::uint64_t most_ranks = std::numeric_limits<int>::max();
// What of a staged receive buffer has to have arrived, in one piece, to be copied while the rest is under way.
inline constexpr std::uint64_t preset_chunk_bytes = std::uint64_t{4} << 20U;
// Beyond 2^53-1 tools that keep JSON numbers as doubles (editors, plotting scripts) would change what is
// written.
inline constexpr std::uint64_t most_bytes = (std::uint64_t{1} << 53U) - 1;

// A key of `when` that takes a range.
struct RangeKey {
    std::string_view name;
    Range When::*range;
    std::uint64_t (*value)(const Features&);
    Range possible; // the values a call can have
    bool fixed;     // for the life of a communicator; otherwise it may differ from call to call
};
inline constexpr std::size_t range_key_count = 4;
std::span<const RangeKey, range_key_count> range_keys();

// All keys of `when`: the ranges and the words.
std::vector<std::string_view> when_keys();

// Names of the algorithms of one collective, in the order of the registry.
std::vector<std::string_view> algorithms_of(Collective collective);

// The algorithm of that name in every collective that has one; with `only`, in that collective alone.
std::vector<const algorithms::Traits*> find_all(std::string_view name, std::optional<Collective> only);

// Whether the use has something to run in that collective: its algorithm, or a candidate other than native.
bool serves(const Use& use, Collective collective);

// The largest value of a parameter where nothing is known of the number of ranks.
std::int64_t largest_of(const algorithms::ParameterTraits& parameter);

} // namespace switchyard::policy
