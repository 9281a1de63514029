// Votes of the ranks of a communicator, and communicators of our own.
#pragma once

#include "algorithms/comm.hpp"
#include "algorithms/status.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace switchyard::algorithms {

// True on all ranks where `here` is true on all of them, false on all ranks otherwise. Collective.
bool all_agree(bool here, Comm comm);

// The bits that are set on all ranks. Collective.
unsigned common_bits(unsigned here, Comm comm);

// The largest of each number over all ranks, to `largest`. Collective.
Status largest_of_all(std::span<const std::uint64_t> numbers, std::uint64_t* largest, Comm comm);

// A communicator of our own with the ranks of the intracommunicator `comm`. It has no attributes of the
// application, and its error handler returns. Where MPI has no more communicators, no rank gets one, and the
// error handler of `comm` is called. (Setting another handler meanwhile does not work: MPICH cannot restore a
// handler that `comm` only follows.) Collective.
Comm create_private(Comm comm);

// Memory that grows on all ranks or on none. It grows in steps of a quarter, so that slowly growing blocks do
// not cause a vote at every call.
class AgreedSize {
  public:
    // Makes room for `bytes`, the same number on all ranks; `grow(rounded)` does it on this rank and
    // says whether it could. False on all ranks where one rank could not. Collective where the size
    // agreed so far is too small.
    template <typename Grow>
    bool reserve(std::size_t bytes, Comm comm, const Grow& grow) {
        if (covers(bytes)) return true;
        const std::size_t quarter = std::bit_floor(bytes) / 4;
        const std::size_t step = quarter < smallest_step ? smallest_step : quarter;
        const std::size_t rounded = (bytes + step - 1) / step * step;
        if (!all_agree(grow(rounded), comm)) return false;
        agreed_ = rounded;
        return true;
    }

    bool covers(std::size_t bytes) const { return bytes <= agreed_; }

  private:
    static constexpr std::size_t smallest_step = 4096;
    std::size_t agreed_ = 0;
};

} // namespace switchyard::algorithms
