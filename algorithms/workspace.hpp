// Scratch memory of one communicator. It grows before a call, never during a call, and
// is kept from call to call.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace switchyard::algorithms {

class Workspace {
  public:
    // Forgets all that was taken and makes room for `bytes` bytes. False: there is not enough memory; the
    // earlier memory stays usable. Call it only between calls.
    bool reserve(std::size_t bytes);

    // The next `bytes` bytes, aligned for any type. Sizes are rounded up to `alignment`. An algorithm
    // declares its bytes in traits.scratch_bytes. Where fewer bytes are left, the span is null.
    std::span<std::byte> take(std::size_t bytes);

    // `count` objects of a trivial type, uninitialised.
    template <typename T>
    std::span<T> take_array(std::size_t count) {
        auto bytes = take(count * sizeof(T));
        return {reinterpret_cast<T*>(bytes.data()), bytes.empty() ? 0 : count};
    }

    // Gives back all that was taken since taken() was `mark`.
    void release_to(std::size_t mark) { taken_ = mark; }

    // Whether `bytes` bytes are left.
    bool has(std::size_t bytes) const { return bytes <= capacity_ - taken_; }

    std::size_t capacity() const { return capacity_; }
    std::size_t taken() const { return taken_; }
    std::size_t most_taken() const { return most_taken_; } // since reserve()

    static constexpr std::size_t alignment = 64;
    // The bytes that take(bytes) uses up. Formulas for scratch_bytes add these.
    static constexpr std::size_t rounded(std::size_t bytes) {
        return (bytes + alignment - 1) / alignment * alignment;
    }

  private:
    struct Free {
        std::size_t mapped_bytes; // 0: malloc's
        void operator()(std::byte* memory) const;
    };
    std::unique_ptr<std::byte, Free> memory_{nullptr, Free{0}};
    std::byte* begin_ = nullptr; // in memory_, aligned
    std::size_t capacity_ = 0;
    std::size_t taken_ = 0, most_taken_ = 0;
};

} // namespace switchyard::algorithms
