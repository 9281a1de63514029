// SWITCHYARD_RANKS_PER_NODE and SWITCHYARD_RANKS_PER_REGION: a placement of ranks, set by hand. With it one
// machine shows how algorithms that know nodes behave on many machines.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace switchyard::shim {

class Placement {
  public:
    // `4`: blocks of four. `3,1,4`: ragged blocks; the list is repeated if there are more ranks. `cyclic:4`:
    // one rank to each node in turn, on enough nodes for four ranks each. nullopt for any other text.
    static std::optional<Placement> parse(std::string_view text);

    // The node of a world rank, from 0.
    int node_of(int rank, int world_ranks) const;

  private:
    bool cyclic_ = false;
    std::vector<int> blocks_;
};

} // namespace switchyard::shim
