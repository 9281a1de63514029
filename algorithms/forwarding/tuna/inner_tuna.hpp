// TuNA among the ranks of a node, as an algorithm that knows nodes uses it.
#pragma once

#include "bundles_scratch.hpp"
#include "tuna_schedule.hpp"

namespace switchyard::algorithms::forwarding {

struct InnerTuna {
    // `parameters`: from inside_node().
    InnerTuna(int ranks, int rank, const Parameters& given)
        : parameters(given), schedule(ranks, rank, given) {}

    std::size_t scratch_bytes(std::size_t bundle_bytes) const {
        return TunaLayout(schedule.shape(), bundle_bytes, parameters).scratch_bytes;
    }

    Parameters parameters;
    TunaSchedule schedule;
};

} // namespace switchyard::algorithms::forwarding
