#include "sizes.hpp"

#include "palette.hpp"
#include "shim/report/read/places.hpp"

#include <algorithm>

namespace switchyard::shim::report {

Sizes sizes_of(const Profile& profile) {
    Sizes sizes;
    Places<std::string> places;
    std::size_t others = 0;
    for (const auto& group : profile.groups) {
        if (!places.add(group.kind.collective).second) continue;
        if (sizes.collectives.size() < series_colours)
            sizes.collectives.push_back(group.kind.collective);
        else
            ++others;
    }
    if (others > 0) sizes.collectives.push_back(std::to_string(others) + " others");
    for (const auto& group : profile.groups) {
        auto& parts = sizes.blocks[group.kind.block_bits];
        parts.resize(sizes.collectives.size());
        auto& part = parts[std::min(places.of(group.kind.collective), series_colours)];
        part.calls += group.calls;
        part.time_us += profile.time_us(group);
    }
    return sizes;
}

} // namespace switchyard::shim::report
