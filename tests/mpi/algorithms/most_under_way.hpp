// The most messages that an algorithm may have under way at once: sends and receives of one rank. Jobs died
// where a rank had one for each of thousands of ranks (UCX issue 7861, libfabric issue 9286), so no algorithm
// may do so.
#pragma once

#include "algorithms/group.hpp"
#include "algorithms/traits.hpp"

#include <cstdint>

namespace switchyard::tests {

// `batch`: of the wire, whose messages are not split.
std::int64_t most_under_way(const algorithms::Traits& traits, const algorithms::Group& group,
                            const algorithms::Parameters& parameters, int batch);

} // namespace switchyard::tests
