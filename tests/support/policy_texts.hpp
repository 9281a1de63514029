// Policies made of their texts, and calls to ask them about.
#pragma once

#include "catch.hpp"

#include "policy/features.hpp"
#include "policy/parse.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace switchyard::tests {

// The text of a policy.
inline std::string with_rules(const std::string& rules,
                              const std::string& otherwise = R"({"algorithm": "native"})") {
    return R"({"version": 1, "rules": [)" + rules + R"(], "otherwise": )" + otherwise + "}";
}

// A test fails whose text has problems.
inline policy::Policy parsed(std::string_view text) {
    auto result = policy::parse(text);
    if (const auto* problems = result.error())
        FAIL(problems->front().pointer << ": " << problems->front().message);
    return std::move(result).value();
}

inline policy::Policy policy_of(const std::string& rules,
                                const std::string& otherwise = R"({"algorithm": "native"})") {
    return parsed(with_rules(rules, otherwise));
}

// In host memory.
inline policy::FixedFeatures call_of(int ranks, int nodes = 1) {
    policy::FixedFeatures call;
    call.ranks = ranks;
    call.nodes = nodes;
    call.ranks_per_node = ranks / nodes;
    call.devices = false;
    return call;
}

} // namespace switchyard::tests
