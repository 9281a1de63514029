// The workspace of an exchange with direct blocks. No MPI.
#pragma once

#include "algorithms/traits.hpp"
#include "algorithms/workspace.hpp"

namespace switchyard::algorithms {

// The largest size that a message of forwarded blocks says. A forwarded block never has more bytes.
inline std::size_t forwarded_bound(std::size_t max_block, const Parameters& parameters) {
    return sends_directly(parameters) ? static_cast<std::size_t>(parameters[Parameter::direct_from])
                                      : max_block;
}

// A byte for each rank.
inline std::size_t direct_blocks_scratch_bytes(int ranks, const Parameters& parameters) {
    return sends_directly(parameters) && ranks > 1
               ? Workspace::rounded(static_cast<std::size_t>(ranks) * sizeof(bool))
               : 0;
}

} // namespace switchyard::algorithms
