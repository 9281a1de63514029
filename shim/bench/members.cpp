#include "members.hpp"

#include <algorithm>
#include <numeric>

namespace switchyard::bench {

std::vector<int> members_of(const algorithms::NodeMap& world, int wanted, int per_node) {
    std::vector<int> members;
    if (per_node == 0) { // in the order of the world, wherever the ranks are
        members.resize(static_cast<std::size_t>(std::min(wanted, world.ranks())));
        std::iota(members.begin(), members.end(), 0);
        return members;
    }
    for (int node = 0; node < world.nodes(); ++node)
        for (int local = 0; local < std::min(per_node, world.size_of(node)); ++local)
            if (static_cast<int>(members.size()) < wanted) members.push_back(world.rank_of(node, local));
    std::ranges::sort(members);
    return members;
}

} // namespace switchyard::bench
