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

// A list of such integers, all of one width.
class PackedSizes {
  public:
    PackedSizes(std::byte* list, std::size_t width) : list_(list), width_(width) {}

    void set(std::size_t index, std::size_t size) const {
        switch (width_) {
        case sizeof(std::uint8_t): store<std::uint8_t>(index, size); break;
        case sizeof(std::uint16_t): store<std::uint16_t>(index, size); break;
        case sizeof(std::uint32_t): store<std::uint32_t>(index, size); break;
        default: store<std::uint64_t>(index, size); break;
        }
    }
    std::size_t get(std::size_t index) const {
        switch (width_) {
        case sizeof(std::uint8_t): return load<std::uint8_t>(index);
        case sizeof(std::uint16_t): return load<std::uint16_t>(index);
        case sizeof(std::uint32_t): return load<std::uint32_t>(index);
        default: return load<std::uint64_t>(index);
        }
    }

  private:
    template <typename Integer>
    void store(std::size_t index, std::size_t size) const {
        const auto integer = static_cast<Integer>(size);
        std::memcpy(list_ + index * sizeof integer, &integer, sizeof integer);
    }
    template <typename Integer>
    std::size_t load(std::size_t index) const {
        Integer integer;
        std::memcpy(&integer, list_ + index * sizeof integer, sizeof integer);
        return static_cast<std::size_t>(integer);
    }

    std::byte* list_;
    std::size_t width_;
};

} // namespace switchyard::algorithms::patterns
