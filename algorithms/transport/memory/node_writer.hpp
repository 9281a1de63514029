// Writes bytes for another rank into the memory of the node.
//
// A core that writes a cache line takes it from the core that read the line last. Cores with a common cache
// do that in no time. Between other cores, such as cores of two sockets, a line takes so long that it is
// faster to write past the caches. Between cores with a common cache that would be slower. The system also
// moves ranks to other cores. So each rank measures how long its writes take.
#pragma once

#include "algorithms/transport/messages/copy.hpp"

#include <cstddef>

namespace switchyard::algorithms {

// For one reader.
class NodeWriter {
  public:
    void write(std::byte* to, const std::byte* from, std::size_t bytes) {
        if (simulation::is_on || bytes < least_measured_bytes)
            copy_bytes(to, from, bytes);
        else
            write_large(to, from, bytes);
    }

    static constexpr std::size_t least_measured_bytes = 8192;

  private:
    void write_large(std::byte* to, const std::byte* from, std::size_t bytes);

    std::size_t bytes_past_caches_ = 0; // to be written so before the next try through the caches
    int slow_ = 0;                      // slow writes through the caches in a row
};

} // namespace switchyard::algorithms
