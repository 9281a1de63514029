// The messages that each algorithm must send when every pair of ranks exchanges a block of one size. The
// formulas come from the papers, not from our code.
#pragma once

#include "algorithms/traits.hpp"
#include "algorithms/transport/messages/wire.hpp"

#include <optional>
#include <string_view>

namespace switchyard::tests {

// The messages of this rank of the group. `window`: the ranks of a node share memory. Nothing: the algorithm
// has no formula here.
std::optional<algorithms::Traffic> expected_traffic(algorithms::Collective collective,
                                                    std::string_view algorithm,
                                                    const algorithms::Group& group, std::size_t block,
                                                    const algorithms::Parameters& parameters, bool window);

} // namespace switchyard::tests
