// Policy text to policy, or to everything that is wrong with it.
#pragma once

#include "table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace switchyard::policy {

// What a problem spoils: the policy as a whole, or only the rule that it is in, which is then passed over.
enum class Spoils : std::uint8_t { policy, rule };

struct Problem {
    std::string pointer; // JSON pointer to the place, "" for the document; syntax errors: "line 3, column 14"
    std::string message; // what is wrong and what would be valid, one sentence
    Spoils spoils = Spoils::policy;
};

// Largest policy text we read, in bytes: a policy is written by people.
inline constexpr std::size_t largest_policy_bytes = 1U << 20;

// Never throws for any text. On success the policy is valid: every name known, every parameter possible,
// every rule able to fire at some call. Otherwise all problems found, in document order.
std::variant<Policy, std::vector<Problem>> parse(std::string_view text);

// The same for a run that has to make the best of it: a parameter out of range spoils its rule alone, which
// is then not admissible on any communicator. No value: the problems spoil all of it.
template <typename T>
struct Reading {
    std::optional<T> value;
    std::vector<Problem> problems; // all of them
};
Reading<Policy> read(std::string_view text);

// `alltoallv:tuna:radix=4:metadata=fused;allgather:ring` (SWITCHYARD_FORCE): for each collective what it is
// forced to. Pointers of problems are "" and messages quote the part that is wrong.
struct Force {
    std::array<std::optional<Use>, algorithms::collective_count> by_collective{};
};
std::variant<Force, std::vector<Problem>> parse_force(std::string_view text);
Reading<Force> read_force(std::string_view text);

// "" or `, did you mean "tuna"?`: the closest of `known` when it is close enough to be meant.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

} // namespace switchyard::policy
