// Memory of a program that has nothing to do with its calls. No MPI.
#pragma once

#include "algorithms/transport/memory/last_cache.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace switchyard::bench {

class OtherMemory {
  public:
    explicit OtherMemory(std::size_t bytes) : bytes_(bytes) {}

    // Twice the last cache, so that write() drives everything else out. At most 64 MiB: a virtual machine may
    // report the cache of a whole socket, and writing that much before each call takes too long.
    static std::size_t enough() {
        constexpr std::size_t most = std::size_t{64} << 20;
        return std::min(2 * algorithms::LastCache::of_this_core().bytes, most);
    }

    void write() {
        constexpr std::size_t line_bytes = 64;
        for (std::size_t at = 0; at < bytes_.size(); at += line_bytes) {
            volatile std::byte& first = bytes_[at];
            first = first;
        }
    }

  private:
    std::vector<std::byte> bytes_;
};

} // namespace switchyard::bench
