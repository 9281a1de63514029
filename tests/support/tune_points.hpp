// Points of a tuning's grid, and candidates.
#pragma once

#include "shim/tune/candidate.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace switchyard::tests {

// On one node.
inline shim::tune::Point point_of(policy::Collective collective, std::size_t block, int ranks = 8) {
    shim::tune::Point point;
    point.shape = {collective, ranks, 1, ranks};
    point.max_block = block;
    return point;
}

inline shim::tune::Candidate candidate_of(policy::Collective collective, const std::string& text) {
    if (text == "agreement") return shim::tune::Candidate::agreement();
    const auto candidate = shim::tune::Candidate::read(collective, text);
    if (!candidate) throw std::runtime_error("no candidate " + text);
    return *candidate;
}

inline std::vector<std::string> texts_of(const std::vector<shim::tune::Candidate>& candidates) {
    std::vector<std::string> texts;
    for (const auto& candidate : candidates) texts.push_back(candidate.text());
    return texts;
}

} // namespace switchyard::tests
