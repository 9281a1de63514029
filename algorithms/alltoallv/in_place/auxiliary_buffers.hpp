// Memory in addition to the buffer of an exchange in place, for bytes that arrive before their places are
// free. It is cut into b buffers of one size. Source j always uses buffer j mod b; the first source to come
// keeps the buffer until it is empty. No MPI, no memory of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

namespace switchyard::algorithms::alltoallv {

struct AuxiliaryBuffer {
    int source = -1; // the source whose bytes wait here, where `used` is not 0
    std::size_t used = 0;
};

class AuxiliaryBuffers {
  public:
    // At least one buffer. `memory` holds `bytes_each` bytes for each buffer.
    AuxiliaryBuffers(std::span<AuxiliaryBuffer> buffers, std::byte* memory, std::size_t bytes_each)
        : buffers_(buffers), memory_(memory), bytes_each_(bytes_each) {
        std::ranges::fill(buffers, AuxiliaryBuffer{});
    }

    // Bytes of that source that wait for their places.
    std::size_t waiting(int source) const {
        const AuxiliaryBuffer& buffer = buffers_[number_of(source)];
        return buffer.source == source ? buffer.used : 0;
    }

    // The number of bytes that the source can still put here.
    std::size_t room(int source) const {
        const AuxiliaryBuffer& buffer = buffers_[number_of(source)];
        return buffer.used == 0 || buffer.source == source ? bytes_each_ - buffer.used : 0;
    }

    // The place for the next bytes of that source, at most room() bytes.
    std::byte* append(int source, std::size_t bytes) {
        if (bytes == 0) return nullptr;
        AuxiliaryBuffer& buffer = buffers_[number_of(source)];
        std::byte* place = memory_of(source) + buffer.used;
        buffer.source = source;
        buffer.used += bytes;
        return place;
    }

    // Moves the first bytes that wait, at most waiting() bytes, to their places.
    void empty_into(std::byte* places, int source, std::size_t bytes) {
        if (bytes == 0) return;
        AuxiliaryBuffer& buffer = buffers_[number_of(source)];
        std::byte* const memory = memory_of(source);
        buffer.used -= bytes;
        std::memcpy(places, memory, bytes);
        std::memmove(memory, memory + bytes, buffer.used);
    }

  private:
    std::size_t number_of(int source) const { return static_cast<std::size_t>(source) % buffers_.size(); }
    std::byte* memory_of(int source) const { return memory_ + number_of(source) * bytes_each_; }

    std::span<AuxiliaryBuffer> buffers_;
    std::byte* memory_;
    std::size_t bytes_each_;
};

} // namespace switchyard::algorithms::alltoallv
