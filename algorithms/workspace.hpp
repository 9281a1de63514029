// Scratch memory of one communicator: it grows before a call, never during one, and is kept from call to
// call.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace switchyard::algorithms {

class Workspace {
  public:
    // Makes `take` good for that many bytes in all and forgets what was taken. False: no such memory; what
    // was there before stays usable. May only be called between calls.
    bool reserve(std::size_t bytes);

    // The next `bytes` bytes, aligned for any type (sizes are rounded up to `alignment` for that). The caller
    // has declared them in traits.scratch_bytes; taking more than was reserved ends in a null span.
    std::span<std::byte> take(std::size_t bytes);

    // `count` objects of a trivial type, uninitialised.
    template <typename T>
    std::span<T> take_array(std::size_t count) {
        auto bytes = take(count * sizeof(T));
        return {reinterpret_cast<T*>(bytes.data()), bytes.empty() ? 0 : count};
    }

    // Gives back what was taken since taken() was `mark`: for phases whose memory does not live on.
    void release_to(std::size_t mark) { taken_ = mark; }

    // Whether `take` is still good for that many bytes in all.
    bool has(std::size_t bytes) const { return bytes <= capacity_ - taken_; }

    std::size_t capacity() const { return capacity_; }
    std::size_t taken() const { return taken_; }
    std::size_t most_taken() const { return most_taken_; } // since reserve()

    static constexpr std::size_t alignment = 64;
    // What `take(bytes)` really uses up; formulas for scratch_bytes add these.
    static constexpr std::size_t rounded(std::size_t bytes) {
        return (bytes + alignment - 1) / alignment * alignment;
    }

  private:
    struct Free {
        void operator()(std::byte* memory) const;
    };
    std::unique_ptr<std::byte, Free> memory_;
    std::size_t capacity_ = 0;
    std::size_t taken_ = 0, most_taken_ = 0;
};

} // namespace switchyard::algorithms
