#include "core_set.hpp"

#include <algorithm>
#include <functional>
#include <sched.h>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace switchyard::algorithms {

CoreSet CoreSet::of_this_rank() {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        for (unsigned core = 0; core < std::min<unsigned>(std::thread::hardware_concurrency(), CPU_SETSIZE);
             ++core)
            CPU_SET(core, &mine);
    const std::string_view bytes(reinterpret_cast<const char*>(&mine), sizeof mine);
    return {std::max(CPU_COUNT(&mine), 1), static_cast<std::uint32_t>(std::hash<std::string_view>{}(bytes))};
}

int cores_of(std::span<const CoreSet> ranks) {
    long cores = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const auto before = ranks.first(i);
        if (std::ranges::find(before, ranks[i].name, &CoreSet::name) == before.end()) cores += ranks[i].cores;
    }
    const long here = sysconf(_SC_NPROCESSORS_CONF);
    return static_cast<int>(std::clamp(cores, 1L, std::max(here, 1L)));
}

} // namespace switchyard::algorithms
