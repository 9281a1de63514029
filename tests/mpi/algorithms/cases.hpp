// The exchanges of the tests: block sizes for every pair of ranks, and the places of the blocks in the
// buffers. They follow from the case and the ranks alone, so every rank knows the whole matrix. No MPI.
#pragma once

#include "algorithms/exchange.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace switchyard::tests {

using algorithms::Block;

// How the blocks of one side lie in their buffer.
enum class Layout { packed, reversed, gaps };

struct Case {
    std::string name;
    std::function<std::size_t(int source, int destination)> size; // bytes
    Layout layout = Layout::packed;
    bool full = false; // all pairs of different ranks exchange blocks of one size
};

// Blocks of different sizes, for collectives with count arrays.
std::vector<Case> ragged_cases(int ranks, bool reduced);
// Blocks of one size, for all collectives.
std::vector<Case> uniform_cases(bool reduced);

// A mixing function: the same numbers everywhere, on every machine.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0);

// Blocks of those sizes, placed by the layout, with bytes in front and behind. `salt` varies order and gaps.
struct Placement {
    std::vector<Block> blocks;
    std::size_t bytes; // of the whole buffer
};
Placement place(const std::vector<std::size_t>& sizes, Layout layout, std::uint64_t salt);

// A buffer. Every byte follows from its place and the seed.
std::vector<std::byte> filled(std::size_t bytes, std::uint64_t seed);

bool are_same(std::span<const std::byte> some, std::span<const std::byte> others);
// The place of the first byte that differs, or the end of `found`.
std::size_t first_difference(std::span<const std::byte> found, std::span<const std::byte> expected);

} // namespace switchyard::tests
