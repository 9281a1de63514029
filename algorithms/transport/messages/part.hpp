// Parts: the contiguous bytes of one message that lies in several places. No MPI, so that workspace
// formulas can count them.
#pragma once

#include "under_way.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

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

// The fragments of one message, as MPI's derived datatypes want them.
class Fragments {
  public:
    // False: there is no memory.
    bool make_room_for(std::size_t fragments) {
        return make_room(bytes_, fragments) && make_room(addresses_, fragments);
    }
    // `bytes` fit into an int.
    void add(std::ptrdiff_t address, std::size_t bytes) {
        bytes_.push_back(static_cast<int>(bytes));
        addresses_.push_back(address);
    }
    void clear() {
        bytes_.clear();
        addresses_.clear();
    }
    const std::vector<int>& bytes() const { return bytes_; }
    const std::vector<std::ptrdiff_t>& addresses() const { return addresses_; }

  private:
    std::vector<int> bytes_;
    std::vector<std::ptrdiff_t> addresses_;
};

} // namespace switchyard::algorithms
