// The workspace of the algorithms that forward, where blocks are equal: no message says a size.
#pragma once

#include "algorithms/forwarding/node_aware_scratch.hpp"
#include "algorithms/forwarding/tuna_coalesced_scratch.hpp"
#include "algorithms/forwarding/tuna_scratch.hpp"

namespace switchyard::algorithms::forwarding {

inline std::size_t equal_tuna_scratch_bytes(const GroupShape& shape, std::size_t block,
                                            const Parameters& parameters) {
    const TunaShape counted(shape.ranks, parameters);
    return TunaLayout(counted, patterns::FramedBlock::alone(block), parameters).scratch_bytes;
}

inline std::size_t equal_tuna_coalesced_scratch_bytes(const GroupShape& shape, std::size_t block,
                                                      const Parameters& parameters) {
    return bundles_scratch_bytes(shape, patterns::FramedBlock::alone(block), parameters,
                                 coalesced_between_bytes);
}

inline std::size_t equal_node_aware_scratch_bytes(const GroupShape& shape, std::size_t block,
                                                  const Parameters& parameters) {
    return node_aware_scratch_bytes_of(shape, patterns::FramedBlock::alone(block), parameters);
}

} // namespace switchyard::algorithms::forwarding
