// The cores that a rank may run on, in few bytes, since ranks tell each other.
#pragma once

#include <cstdint>
#include <span>

namespace switchyard::algorithms {

struct CoreSet {
    std::int32_t cores = 1;
    std::uint32_t name = 0; // equal for equal sets, and most likely only for these

    static CoreSet of_this_rank();
};

// How many cores ranks may run on together. Launchers give ranks equal sets or sets without a core in common.
// Other sets count as sets without a core in common, up to all cores of the machine.
int cores_of(std::span<const CoreSet> ranks);

} // namespace switchyard::algorithms
