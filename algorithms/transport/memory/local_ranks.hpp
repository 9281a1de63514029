// The ranks of this rank's node, by their numbers on it: the local ranks. A group without a node map is one
// node.
#pragma once

#include "algorithms/group.hpp"

namespace switchyard::algorithms {

class LocalRanks {
  public:
    explicit LocalRanks(const Group& group) : group_(group) {}

    int own() const { return is_one_node() ? group_.rank : group_.node_map->local_rank(group_.rank); }
    int count() const { return is_one_node() ? group_.size : group_.node_map->size_of(node()); }
    // The number of ranks on the largest node.
    int most() const { return is_one_node() ? group_.size : group_.node_map->largest(); }
    int rank_of(int local) const { return is_one_node() ? local : group_.node_map->rank_of(node(), local); }

  private:
    bool is_one_node() const { return group_.node_map == nullptr; }
    int node() const { return group_.node_map->node_of(group_.rank); }

    const Group& group_;
};

} // namespace switchyard::algorithms
