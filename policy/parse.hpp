// The text of a policy, parsed: the policy, or all its problems.
#pragma once

#include "table.hpp"
#include "text/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::policy {

// A problem spoils the whole policy, or only its rule, which is then passed over.
enum class Spoils : std::uint8_t { policy, rule };

struct Problem {
    std::string pointer; // JSON pointer; "" for the document, and where the text is not JSON
    std::string message; // one sentence: the problem, and what would be valid
    Spoils spoils = Spoils::policy;
    std::size_t line = 0;   // of the text, from 1; 0: it is about no line
    std::size_t column = 0; // from 1, where the text is not JSON; else 0
};

// A longer text is not read.
inline constexpr std::size_t largest_policy_bytes = 1U << 20;

// A valid policy, or all problems in the order of the document. In a valid policy all names are known, all
// parameters are possible, and each rule can fire at some call. Never throws.
text::Result<Policy, std::vector<Problem>> parse(std::string_view text);

// For a run, which goes on with a policy that is valid in part. A parameter out of range spoils only its
// rule, which is then admissible nowhere. No value if a problem spoils the whole policy.
template <typename T>
struct Reading {
    std::optional<T> value;
    std::vector<Problem> problems;
};
Reading<Policy> read(std::string_view text); // throws std::bad_alloc only

// SWITCHYARD_FORCE, `alltoallv:tuna:radix=4:metadata=fused;allgather:ring`: the use that each collective is
// forced to. Problems have no pointer; their messages quote the part that is wrong.
struct Force {
    std::array<std::optional<Use>, algorithms::collective_count> by_collective{};
};
text::Result<Force, std::vector<Problem>> parse_force(std::string_view text);
Reading<Force> read_force(std::string_view text); // throws std::bad_alloc only

// `, did you mean "tuna"?` with the word of `known` for which `word` is another name, or the closest word; ""
// if none is close.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

} // namespace switchyard::policy
