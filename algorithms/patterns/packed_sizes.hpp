// Block sizes inside a message: integers of 1, 2, 4 or 8 bytes, at any address, or no bytes where every rank
// knows the size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace switchyard::algorithms::patterns {

// Bytes of the narrowest unsigned integer that holds the value: 1, 2, 4 or 8.
inline std::size_t narrowest(std::size_t value) {
    if (value <= std::numeric_limits<std::uint8_t>::max()) return sizeof(std::uint8_t);
    if (value <= std::numeric_limits<std::uint16_t>::max()) return sizeof(std::uint16_t);
    if (value <= std::numeric_limits<std::uint32_t>::max()) return sizeof(std::uint32_t);
    return sizeof(std::uint64_t);
}

// A block in a message, at most: behind its size, or alone where every rank knows the size.
struct FramedBlock {
    std::size_t block_bytes, size_bytes;

    static FramedBlock with_size(std::size_t most) { return {most, narrowest(most)}; }
    static FramedBlock alone(std::size_t block) { return {block, 0}; }
    std::size_t bytes() const { return block_bytes + size_bytes; }
};

// Returns work(Size{}), where Size is the integer of that many bytes. So the loops of `work` know the width.
template <typename Work>
auto with_size_type(std::size_t width, Work&& work) {
    switch (width) {
    case sizeof(std::uint8_t): return work(std::uint8_t{});
    case sizeof(std::uint16_t): return work(std::uint16_t{});
    case sizeof(std::uint32_t): return work(std::uint32_t{});
    default: return work(std::uint64_t{});
    }
}

// In place of the integer where all blocks are equal: a message has blocks alone.
struct NoSize {};

template <typename Size>
inline constexpr bool has_size = !std::is_same_v<Size, NoSize>;

// The bytes that a block size takes in a message.
template <typename Size>
inline constexpr std::size_t size_bytes = has_size<Size> ? sizeof(Size) : 0;

template <typename Size>
void put_size(std::byte* at, std::size_t size) {
    const auto integer = static_cast<Size>(size);
    std::memcpy(at, &integer, sizeof integer);
}
template <typename Size>
std::size_t size_at(const std::byte* at) {
    Size integer;
    std::memcpy(&integer, at, sizeof integer);
    return integer;
}

} // namespace switchyard::algorithms::patterns
