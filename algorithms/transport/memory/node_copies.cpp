#include "node_copies.hpp"

#include "last_cache.hpp"

#include <cstdint>

namespace switchyard::algorithms {

std::size_t NodeCopies::most_cached_bytes() const {
    // One part in `cached_part` of a rank's share of the last cache is for arriving bytes. The share also
    // holds what the rank sends, its section, and what its program computes with.
    constexpr std::size_t cached_part = 3;
    return simulation::is_on ? SIZE_MAX : LastCache::of_this_core().share(ranks_, cores_) / cached_part;
}

} // namespace switchyard::algorithms
