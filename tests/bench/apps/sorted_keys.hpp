// Keys that every rank can make a slice of without asking, most of them near the middle of their range, and
// the order in which they must come. No MPI.
#pragma once

#include "hash.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace apps {

using Key = std::uint32_t;

// 2^count_bits keys from 0 to 2^range_bits - 1. A key is the mean of four numbers,
// each as likely as any other.
struct Keys {
    unsigned count_bits = 16, range_bits = 11;
    std::uint64_t seed = 1;

    std::uint64_t count() const { return std::uint64_t{1} << count_bits; }

    // The keys from `first` to before `last`.
    std::vector<Key> slice(std::uint64_t first, std::uint64_t last) const {
        std::vector<Key> keys;
        keys.reserve(static_cast<std::size_t>(last - first));
        for (std::uint64_t i = first; i < last; ++i) keys.push_back(key(i));
        return keys;
    }

  private:
    Key key(std::uint64_t number) const {
        constexpr std::uint64_t drawn_numbers = 4;
        const std::uint64_t of_key = hash(seed) + drawn_numbers * number;
        std::uint64_t sum = 0; // of numbers of 32 bits
        for (std::uint64_t i = 0; i < drawn_numbers; ++i) sum += hash(of_key + i) >> 32;
        return static_cast<Key>((sum / drawn_numbers) >> (32 - range_bits));
    }
};

// A range of equal keys, cut into as many equal buckets as there may be.
struct Buckets {
    static constexpr unsigned most_bits = 10;
    explicit Buckets(unsigned range_bits) : shift(range_bits > most_bits ? range_bits - most_bits : 0) {
        count = std::size_t{1} << (range_bits - shift);
    }
    std::size_t of(Key key) const { return key >> shift; }
    Key first_key(std::size_t bucket) const { return static_cast<Key>(bucket << shift); }

    unsigned shift;
    std::size_t count;
};

// Whether keys do not fall. `last` is the largest key before them, and afterwards the largest one
// so far; -1: there is none.
inline bool are_sorted(const std::vector<Key>& keys, std::int64_t& last) {
    for (const Key key : keys) {
        if (key < last) return false;
        last = key;
    }
    return true;
}

// The same for the same keys in any order.
inline std::uint64_t sum_of_hashes(const std::vector<Key>& keys) {
    std::uint64_t sum = 0;
    for (const Key key : keys) sum += hash(key);
    return sum;
}

} // namespace apps
