#include "most_under_way.hpp"

#include "algorithms/patterns/batches.hpp"

#include <algorithm>

namespace switchyard::tests {

using namespace algorithms;

namespace {

struct Pairs {
    std::int64_t sends, receives;

    std::int64_t all() const { return sends + receives; }
};

// The lanes of the largest node that one rank of the smallest node serves.
std::int64_t served_by_one(const NodeMap& map) {
    return (map.largest() + map.smallest() - 1) / map.smallest();
}

// Of one phase of the algorithm among all ranks, or between nodes.
Pairs pairs_of(const Traits& traits, const NodeMap& map, const Parameters& parameters, std::int64_t batch) {
    const auto at_most = [&](Parameter parameter, std::int64_t most) {
        return std::min(parameters[parameter], most);
    };
    if (traits.takes(Parameter::in_flight)) {
        const auto rounds = at_most(Parameter::in_flight, patterns::largest_batch);
        return {rounds, rounds};
    }
    if (traits.takes(Parameter::block_count) && traits.has(knows_nodes)) {
        const auto receives = at_most(Parameter::block_count, patterns::largest_batch);
        return {std::min(batch, receives * served_by_one(map)), receives};
    }
    if (traits.takes(Parameter::block_count)) batch = at_most(Parameter::block_count, batch);
    if (traits.takes(Parameter::stride)) batch = at_most(Parameter::stride, batch);
    // A rank serves at least one digit at a time, in all its lanes.
    if (traits.has(knows_nodes)) batch = std::max(batch, served_by_one(map));
    return {batch, batch};
}

// Bundles inside a node: the rounds of one digit, at most one for each other rank of the node.
std::int64_t bundles_in_node(const Traits& traits, const NodeMap& map) {
    if (!traits.has(knows_nodes)) return 0;
    return 2 * std::min(map.largest() - 1, patterns::largest_batch);
}

// Blocks that go directly next to the forwarded ones.
std::int64_t directly(const Parameters& parameters, std::int64_t batch) {
    if (!sends_directly(parameters)) return 0;
    const std::int64_t given = parameters[Parameter::block_count];
    return batch + std::min(given == 0 ? traits_of(Parameter::block_count).preset_value : given, batch);
}

} // namespace

std::int64_t most_under_way(const Traits& traits, const Group& group, const Parameters& parameters,
                            int batch) {
    const NodeMap& map = *group.node_map;
    // multi_lane_ring's messages between nodes and inside a node are under way together.
    const int phases = traits.name == "multi_lane_ring" ? 2 : 1;
    return std::max(phases * pairs_of(traits, map, parameters, batch).all(), bundles_in_node(traits, map)) +
           directly(parameters, batch);
}

} // namespace switchyard::tests
