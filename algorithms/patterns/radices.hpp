// The bases of the digits of a mixed-radix number, as the one value of a parameter.
//
// This is the only place that knows how they lie in 64 bits:
// - one radix for all digits is the number itself;
// - a list of n radices, the lowest digit first, is 2^62 and more. Bits 56 to 59 hold n. The 56 bits below
//   hold the radices, 56 / n bits each, the lowest digit in the lowest bits.
// So equal lists are equal values, and a value below 2^62 is one radix.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace switchyard::algorithms::patterns {

class Radices {
  public:
    static constexpr std::size_t most_in_list = 8;
    static constexpr std::int64_t least_list = std::int64_t{1} << 62U;

    // NOLINTNEXTLINE(google-explicit-constructor): a number is one radix for all digits
    constexpr Radices(std::int64_t value) : value_(value) {}

    // The largest radix in a list of so many.
    static constexpr std::int64_t largest_in_list(std::size_t count) {
        return (std::int64_t{1} << bits_each(count)) - 1;
    }
    // `list`: 2 to most_in_list radices, none of them above largest_in_list().
    static constexpr Radices of_list(std::span<const std::int64_t> list) {
        std::int64_t value = least_list | static_cast<std::int64_t>(list.size()) << bits_of_radices;
        for (std::size_t digit = 0; digit < list.size(); ++digit)
            value |= list[digit] << digit * bits_each(list.size());
        return value;
    }

    constexpr std::int64_t value() const { return value_; }
    constexpr bool is_list() const { return value_ >= least_list; }
    // The number of radices: 1, or the length of the list.
    constexpr std::size_t count() const {
        return is_list() ? static_cast<std::size_t>(value_ >> bits_of_radices & 15) : 1;
    }
    // Of that digit, 0 the lowest. Beyond the end of a list its last radix counts on.
    constexpr int at(std::size_t digit) const {
        if (!is_list()) [[likely]]
            return static_cast<int>(value_);
        const std::size_t bits = bits_each(count()), place = std::min(digit, count() - 1);
        return static_cast<int>(value_ >> place * bits & ((std::int64_t{1} << bits) - 1));
    }
    // How many numbers a list can write, at most `most`.
    constexpr std::int64_t product(std::int64_t most) const {
        std::int64_t product = 1;
        for (std::size_t digit = 0; digit < count() && product < most; ++digit) product *= at(digit);
        return std::min(product, most);
    }

  private:
    static constexpr unsigned bits_of_radices = 56;
    static constexpr std::size_t bits_each(std::size_t count) { return bits_of_radices / count; }

    std::int64_t value_;
};

// As people write it: `8`, or for a list `8x6`.
inline std::string text_of(const Radices& radices) {
    if (!radices.is_list()) return std::to_string(radices.value());
    std::string text;
    for (std::size_t digit = 0; digit < radices.count(); ++digit)
        text += (digit == 0 ? "" : "x") + std::to_string(radices.at(digit));
    return text;
}

} // namespace switchyard::algorithms::patterns
