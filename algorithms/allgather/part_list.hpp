// Several ranks' blocks of a gathered buffer as one message, wherever they lie.
#pragma once

#include "algorithms/exchange.hpp"
#include "algorithms/part.hpp"

#include <cstddef>
#include <span>
#include <utility>

namespace switchyard::algorithms::allgather {

// A list of places, in memory lent to it; places that touch become one.
class PartList {
  public:
    PartList(const Exchange& exchange, std::span<Part> memory) : exchange_(exchange), memory_(memory) {}

    // The places of the blocks of `count` ranks from `first` up, after the last rank those from rank 0 on.
    PartList& add(int first, int count) {
        for (int rank = first; rank < first + count; ++rank) {
            const int source = rank < exchange_.group.size ? rank : rank - exchange_.group.size;
            add(exchange_.recv_from(source), exchange_.recv_size(source));
        }
        return *this;
    }

    // What was added since the last time.
    std::span<const Part> take() { return memory_.first(std::exchange(parts_, 0)); }

  private:
    void add(std::byte* data, std::size_t bytes) {
        if (parts_ > 0 && memory_[parts_ - 1].data + memory_[parts_ - 1].bytes == data) {
            memory_[parts_ - 1].bytes += bytes;
        } else {
            memory_[parts_++] = {data, bytes};
        }
    }

    const Exchange& exchange_;
    std::span<Part> memory_;
    std::size_t parts_ = 0;
};

} // namespace switchyard::algorithms::allgather
