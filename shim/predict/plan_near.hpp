// Exchanges of bundles among the ranks of a node, inside algorithms that know nodes.
#pragma once

#include "plan.hpp"

#include "algorithms/patterns/radices.hpp"

#include <cstddef>
#include <functional>

namespace switchyard::shim::predict {

// The bytes that a rank can show to its node at once, with the usual
// SWITCHYARD_SHARED_BYTES. More is copied twice.
inline constexpr double most_shown_bytes = 650e3;

// The bytes of the bundle from a place in a group to another place. The own bundle is never asked for.
using BundleBytes = std::function<double(int source, int destination)>;

// TuNA among the ranks of groups of a node, with all rounds of a digit under way. Group `g` of `groups` has
// the local ranks g, g + groups, g + 2 groups and so on. `bytes(group)`: its bundles.
struct NearExchange {
    int local_ranks, groups;
    algorithms::patterns::Radices radices;
    std::size_t most_bytes; // bound of a bundle
    std::function<BundleBytes(int group)> bytes;
};
void plan_near_exchange(const NearExchange& exchange, Sink& sink);

// The same through memory that the node shares: each bundle is copied in and out.
void plan_near_copies(const algorithms::GroupShape& shape, double bundles, double bytes, Sink& sink);

} // namespace switchyard::shim::predict
