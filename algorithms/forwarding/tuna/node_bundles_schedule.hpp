// Which rank of a node carries which blocks to other nodes, computed once.
#pragma once

#include "algorithms/group.hpp"
#include "inner_tuna.hpp"
#include "node_bundles_scratch.hpp"

#include <span>
#include <vector>

namespace switchyard::algorithms::forwarding {

struct Destination {
    int rank, distance; // of its node
};

class NodeBundlesSchedule : public Schedule {
  public:
    NodeBundlesSchedule(const Group& group, const Parameters& parameters)
        : own_node_(group.own_node()),
          carriers_(*group.node_map, group.node_map->node_of(group.rank)), shape_{own_node_.size,
                                                                                  group.node_map->nodes(),
                                                                                  group.node_map->largest()},
          inner_(own_node_.size, own_node_.rank, inside_node(own_node_.size, parameters)),
          destinations_(static_cast<std::size_t>(own_node_.size)) {
        for (int carrier = 0; carrier < own_node_.size; ++carrier)
            carriers_.for_each_destination(carrier, [&](int rank, int distance) {
                destinations_[static_cast<std::size_t>(carrier)].push_back(rank);
                if (carrier == own_node_.rank) carried_.push_back({rank, distance});
            });
    }

    const Group& own_node() const { return own_node_; }
    const Carriers& carriers() const { return carriers_; }
    const NodeShape& shape() const { return shape_; }
    const InnerTuna& inner() const { return inner_; }
    // The destinations that a local rank carries blocks to, by rising distance of their nodes.
    std::span<const int> destinations_of(int carrier) const {
        return destinations_[static_cast<std::size_t>(carrier)];
    }
    // The same for this rank. The first destination is this rank itself.
    std::span<const Destination> carried() const { return carried_; }

  private:
    const Group own_node_;
    const Carriers carriers_;
    const NodeShape shape_;
    const InnerTuna inner_;
    std::vector<std::vector<int>> destinations_; // by carrier
    std::vector<Destination> carried_;
};

} // namespace switchyard::algorithms::forwarding
