// The request of a rank of an exchange in place to one source in one phase, and the
// room for the answer. No MPI.
#pragma once

#include "index_sets.hpp"

#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms::alltoallv {

// A request as it travels: a number of bytes, whether they are the last bytes for this rank, and whether this
// rank needs another phase, which only requests to all ranks say.
class Request {
  public:
    Request() = default;
    Request(std::size_t bytes, bool is_last) : word_(bytes + (is_last ? last_mark : 0)) {}

    void mark_another_phase() { word_ |= another_phase_mark; }

    std::size_t bytes() const { return word_ & ~(last_mark | another_phase_mark); }
    bool is_last() const { return (word_ & last_mark) != 0; }
    bool needs_another_phase() const { return (word_ & another_phase_mark) != 0; }

  private:
    static constexpr std::uint64_t last_mark = std::uint64_t{1} << 63;
    static constexpr std::uint64_t another_phase_mark = std::uint64_t{1} << 62;
    std::uint64_t word_;
};

// The places for the data of one source: first free space, then its auxiliary buffer.
struct Room {
    Interval free, ahead;
    bool asks = false; // also for a request of no bytes, while bytes are left to receive
};

} // namespace switchyard::algorithms::alltoallv
