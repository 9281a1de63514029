// The largest cache of a core, which several cores share. The processor itself tells its size, so no file is
// opened in somebody's program.
#pragma once

#include <algorithm>
#include <cstddef>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace switchyard::algorithms {

struct LastCache {
    std::size_t bytes = std::size_t{32} << 20; // where the processor does not tell
    int cores = 1;                             // that share it, hardware threads included

    // The share of a rank, where `ranks` ranks run on `node_cores` cores.
    std::size_t share(int ranks, int node_cores) const {
        const int ranks_of_core = (ranks + node_cores - 1) / std::max(node_cores, 1);
        return bytes / static_cast<std::size_t>(std::clamp(cores * ranks_of_core, 1, std::max(ranks, 1)));
    }

    static const LastCache& of_this_core() {
        static const LastCache cache = ask();
        return cache;
    }

  private:
    static LastCache ask();
};

#if defined(__x86_64__)

// Intel: Software Developer's Manual, CPUID leaf 4. AMD: Programmer's Manual 3, leaf 8000001D.
// They have the same form.
inline LastCache LastCache::ask() {
    constexpr unsigned instructions_only = 2;
    LastCache last;
    for (const unsigned leaf : {4U, 0x8000001dU}) {
        unsigned a = 0, b = 0, c = 0, d = 0;
        for (unsigned i = 0; __get_cpuid_count(leaf, i, &a, &b, &c, &d) != 0 && a % 32 != 0; ++i) {
            if (a % 32 == instructions_only) continue;
            const std::size_t ways = (b >> 22) + 1, partitions = (b >> 12) % 1024 + 1, line = b % 4096 + 1,
                              sets = std::size_t{c} + 1;
            last = {ways * partitions * line * sets, static_cast<int>((a >> 14) % 4096 + 1)};
        }
    }
    return last;
}

#else

inline LastCache LastCache::ask() {
    return {};
}

#endif

} // namespace switchyard::algorithms
