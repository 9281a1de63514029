// What each algorithm must send when every pair exchanges a block of one size, from the papers and not from
// our code.
#pragma once

#include "algorithms/traits.hpp"
#include "algorithms/wire.hpp"

#include <optional>
#include <string_view>

namespace switchyard::tests {

// On this rank of the group; `window`: there is memory that the ranks of a node share. Nothing for an
// algorithm without a formula here.
std::optional<algorithms::Traffic> expected_traffic(algorithms::Collective collective,
                                                    std::string_view algorithm,
                                                    const algorithms::Group& group, std::size_t block,
                                                    const algorithms::Parameters& parameters, bool window);

} // namespace switchyard::tests
