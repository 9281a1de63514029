// The workspace of in_place.
#pragma once

#include "algorithms/traits.hpp"
#include "algorithms/transport/messages/part.hpp"
#include "algorithms/workspace.hpp"
#include "in_place/auxiliary_buffers.hpp"
#include "in_place/index_sets.hpp"
#include "in_place/request.hpp"

#include <algorithm>
#include <cstddef>

namespace switchyard::algorithms::alltoallv {

// From so many ranks on the paper had trouble with single messages (section 4).
inline constexpr int requests_are_collective_from = 1024;

inline Requests in_place_requests(int ranks, const Parameters& parameters) {
    const auto asked = static_cast<Requests>(parameters[Parameter::requests]);
    if (ranks == 1) return Requests::messages; // there is nobody to ask
    if (asked != Requests::by_ranks) return asked;
    return ranks < requests_are_collective_from ? Requests::messages : Requests::alltoall;
}

struct InPlaceLayout {
    std::size_t ranks, subsets, order;
    std::size_t buffers, buffer_bytes; // of the auxiliary memory
    std::size_t numbers;               // counts and displacements of the requests
};

// The layout depends on the ranks and on the auxiliary memory, never on the blocks.
inline InPlaceLayout in_place_layout(int ranks, const Parameters& parameters) {
    const auto p = static_cast<std::size_t>(ranks);
    // A rank that is alone needs no auxiliary memory.
    const std::size_t bytes = p > 1 ? static_cast<std::size_t>(parameters[Parameter::auxiliary_bytes]) : 0;
    const auto asked = static_cast<std::size_t>(parameters[Parameter::buffers]);
    const std::size_t buffers = std::max<std::size_t>(1, std::min({asked, bytes, p}));
    const bool counts = in_place_requests(ranks, parameters) == Requests::alltoallv;
    return {p,
            IndexSets::most_subsets(p),
            IndexSets::order_entries(p),
            buffers,
            bytes / buffers,
            counts ? 2 * p : 0};
}

inline std::size_t in_place_scratch_bytes(const GroupShape& shape, std::size_t,
                                          const Parameters& parameters) {
    const InPlaceLayout layout = in_place_layout(shape.ranks, parameters);
    return Workspace::rounded(layout.ranks * sizeof(SendSet)) +
           Workspace::rounded(layout.ranks * sizeof(ReceiveSet)) +
           Workspace::rounded(layout.subsets * sizeof(SendSubset)) +
           Workspace::rounded(layout.order * sizeof(int)) +
           Workspace::rounded(layout.subsets * sizeof(Part)) +
           Workspace::rounded(layout.ranks * sizeof(Room)) +
           2 * Workspace::rounded(layout.ranks * sizeof(Request)) +
           Workspace::rounded(layout.numbers * sizeof(int)) +
           Workspace::rounded(layout.buffers * sizeof(AuxiliaryBuffer)) +
           Workspace::rounded(layout.buffers * layout.buffer_bytes);
}

} // namespace switchyard::algorithms::alltoallv
