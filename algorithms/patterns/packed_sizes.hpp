// Block sizes inside a message: integers of 1, 2, 4 or 8 bytes, at any address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace switchyard::algorithms::patterns {

// Bytes of the narrowest unsigned integer that holds the value: 1, 2, 4 or 8.
inline std::size_t narrowest(std::size_t value) {
    if (value <= std::numeric_limits<std::uint8_t>::max()) return sizeof(std::uint8_t);
    if (value <= std::numeric_limits<std::uint16_t>::max()) return sizeof(std::uint16_t);
    if (value <= std::numeric_limits<std::uint32_t>::max()) return sizeof(std::uint32_t);
    return sizeof(std::uint64_t);
}

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
