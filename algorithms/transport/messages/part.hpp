// Parts: the contiguous bytes of one message that lies in several places. No MPI, so that workspace
// formulas can count them.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace switchyard::algorithms {

// Contiguous bytes that a message carries. Where a part is only sent, its bytes are only read.
struct Part {
    std::byte* data;
    std::size_t bytes;
};

// The parts of one message, in lent memory. Parts that touch become one. Empty parts are left out.
class PartList {
  public:
    explicit PartList(std::span<Part> memory) : memory_(memory) {}

    void add(Part part) {
        if (part.bytes == 0) return;
        if (count_ > 0 && memory_[count_ - 1].data + memory_[count_ - 1].bytes == part.data) {
            memory_[count_ - 1].bytes += part.bytes;
        } else {
            memory_[count_++] = part;
        }
    }

    // The parts since the last take(). They are valid until the next add().
    std::span<const Part> take() { return memory_.first(std::exchange(count_, 0)); }

  private:
    std::span<Part> memory_;
    std::size_t count_ = 0;
};

} // namespace switchyard::algorithms
