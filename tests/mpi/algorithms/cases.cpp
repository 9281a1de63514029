#include "cases.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace switchyard::tests {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    std::uint64_t x = a * 0x9e3779b97f4a7c15U + b * 0xc2b2ae3d27d4eb4fU + c * 0x165667b19e3779f9U + 1;
    for (int i = 0; i < 2; ++i) {
        x ^= x >> 31;
        x *= 0xff51afd7ed558ccdU;
        x ^= x >> 33;
    }
    return x;
}

namespace {

std::uint64_t pair_number(int source, int destination, std::uint64_t salt) {
    return mixed(static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(destination), salt);
}

Case uniform(std::string name, std::size_t bytes, Layout layout) {
    return {std::move(name), [bytes](int, int) { return bytes; }, layout, true};
}

} // namespace

std::vector<Case> uniform_cases(bool reduced) {
    std::vector<Case> cases = {uniform("uniform 8", 8, Layout::packed),
                               uniform("uniform 3, gaps", 3, Layout::gaps)};
    if (!reduced) {
        cases.push_back(uniform("uniform 1000, reversed", 1000, Layout::reversed));
        cases.push_back(uniform("uniform 0", 0, Layout::packed));
        cases.push_back(
            uniform("uniform 20000", 20000, Layout::packed)); // above the eager limit of both MPIs
    }
    return cases;
}

std::vector<Case> ragged_cases(int ranks, bool reduced) {
    std::vector<Case> cases;
    cases.push_back({"ragged", [](int s, int d) { return pair_number(s, d, 1) % 40; }, Layout::gaps});
    cases.push_back({"zero rows", [](int s, int d) { return s % 2 == 0 ? 0 : 1 + pair_number(s, d, 2) % 16; },
                     Layout::packed});
    // Above the eager limit of both MPIs. On a simulated machine all ranks share one memory, and an algorithm
    // that stores and forwards keeps room for such a block of every rank.
    const std::size_t big = ranks <= 32 ? 70001 : 701;
    cases.push_back(
        {"one big among small",
         [ranks, big](int s, int d) { return s == ranks - 1 && d == 0 ? big : pair_number(s, d, 3) % 16; },
         Layout::gaps});
    if (reduced) {
        return cases;
    }
    cases.push_back(
        {"ragged, reversed", [](int s, int d) { return pair_number(s, d, 4) % 700; }, Layout::reversed});
    cases.push_back({"sparse",
                     [](int s, int d) {
                         const auto n = pair_number(s, d, 5);
                         return n % 4 == 0 ? n % 100 : 0;
                     },
                     Layout::gaps});
    cases.push_back({"zero columns",
                     [](int s, int d) { return d % 3 == 1 ? 0 : 1 + pair_number(s, d, 6) % 16; },
                     Layout::reversed});
    cases.push_back(
        {"one hot", [ranks](int s, int d) { return s == 0 && d == ranks / 2 ? 333 : 0; }, Layout::gaps});
    cases.push_back({"self only", [](int s, int d) { return s == d ? std::size_t{55} : 0; }, Layout::gaps});
    cases.push_back(
        {"big self", [](int s, int d) { return s == d ? std::size_t{5000} : 6; }, Layout::packed});
    cases.push_back({"everything empty", [](int, int) { return 0; }, Layout::packed});
    return cases;
}

Placement place(const std::vector<std::size_t>& sizes, Layout layout, std::uint64_t salt) {
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (layout == Layout::reversed) {
        std::ranges::reverse(order);
    } else if (layout == Layout::gaps) {
        std::ranges::sort(order, {}, [&](std::size_t i) { return mixed(i, salt); });
    }

    Placement placement{std::vector<Block>(sizes.size()), 0};
    std::size_t end = 16; // bytes in front and behind
    for (std::size_t i : order) {
        if (layout == Layout::gaps) {
            end += mixed(i, salt, 1) % 23;
        }
        placement.blocks[i] = {end, sizes[i]};
        end += sizes[i];
    }
    placement.bytes = end + 16;
    return placement;
}

// No number waits for the one before it, and all but the last are copied whole: filling buffers was 4 % of the time of all tests.
std::vector<std::byte> filled(std::size_t bytes, std::uint64_t seed) {
    constexpr std::size_t step = sizeof(std::uint64_t);
    std::vector<std::byte> buffer(bytes);
    std::uint64_t state = mixed(seed);
    const auto number = [&state] {
        state += 0x9E3779B97F4A7C15U;
        const std::uint64_t product = state * 6364136223846793005U;
        return product ^ product >> 32;
    };
    std::size_t at = 0;
    for (; bytes - at >= step; at += step) {
        const std::uint64_t next = number();
        std::memcpy(buffer.data() + at, &next, step);
    }
    const std::uint64_t last = number();
    if (at < bytes) std::memcpy(buffer.data() + at, &last, bytes - at);
    return buffer;
}

// GCC 12 compares bytes one by one, in std::vector, too.
bool are_same(std::span<const std::byte> some, std::span<const std::byte> others) {
    return some.size() == others.size() &&
           (some.empty() || std::memcmp(some.data(), others.data(), some.size()) == 0);
}

std::size_t first_difference(std::span<const std::byte> found, std::span<const std::byte> expected) {
    if (are_same(found, expected)) return found.size();
    return static_cast<std::size_t>(std::ranges::mismatch(found, expected).in1 - found.begin());
}

} // namespace switchyard::tests
