// SWITCHYARD_RANKS_PER_NODE: a placement of the world's ranks on nodes, set by hand so that node-aware
// behaviour can be tried on one machine.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace switchyard::shim {

class Placement {
  public:
    // `4` = blocks of four; `3,1,4` = ragged blocks, repeated when the ranks are more; `cyclic:4` = round
    // robin over as many nodes as hold four ranks each. nullopt for anything else.
    static std::optional<Placement> parse(std::string_view text);

    // The node of a world rank, from 0.
    int node_of(int rank, int world_ranks) const;

  private:
    bool cyclic_ = false;
    std::vector<int> blocks_;
};

} // namespace switchyard::shim
