// A hash of a word, the same on all machines. A sum of hashes does not depend on the
// order of its terms. No MPI.
#pragma once

#include <cstdint>

namespace apps {

inline std::uint64_t hash(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

} // namespace apps
