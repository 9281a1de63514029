// Bytes into the memory of a node and out of it.
#include "node_in_process.hpp"
#include "tests/support/catch.hpp"

#include "algorithms/transport/memory/last_cache.hpp"
#include "algorithms/transport/memory/node_copies.hpp"

#include <algorithm>

using namespace switchyard::algorithms;
using switchyard::tests::some_bytes;

namespace {

constexpr std::byte outside{0xee};

// Whether copy(to, from, bytes) brings these bytes, and no others.
template <typename Copy>
bool brings(std::size_t bytes, Copy&& copy) {
    constexpr std::size_t gap = 65;
    const auto from = some_bytes(bytes, 1);
    std::vector<std::byte> to(bytes + 2 * gap, outside);
    copy(to.data() + gap, from.data(), bytes);
    const auto is_outside = [](std::byte byte) { return byte == outside; };
    return std::equal(from.begin(), from.end(), to.begin() + gap) &&
           std::all_of(to.begin(), to.begin() + gap, is_outside) &&
           std::all_of(to.end() - gap, to.end(), is_outside);
}

} // namespace

TEST_CASE("blocks of all sizes arrive, through the caches or past them", "[node_copies]") {
    NodeCopies copies(4, 4);
    const std::size_t large = copies.most_cached_bytes() + 1;
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{15}, std::size_t{16},
                                    std::size_t{17}, std::size_t{8192}, std::size_t{100'000}}) {
        CAPTURE(bytes);
        CHECK(brings(bytes, [&](auto... args) { copies.write(args...); }));
        CHECK(brings(bytes, [&](auto... args) { copies.keep(args...); }));
        for (const std::size_t arriving : {std::size_t{0}, bytes, large}) {
            copies.begin_streams(arriving);
            CHECK(brings(bytes, [&](auto... args) { copies.read(args...); }));
            copies.end_streams();
        }
    }
    CHECK(brings(large, [&](auto... args) { copies.keep(args...); }));
}

TEST_CASE("ranks of one core share what its caches hold", "[node_copies]") {
    const NodeCopies alone(1, 1), crowded(64, 1);
    CHECK(alone.most_cached_bytes() > 0);
    CHECK(crowded.most_cached_bytes() < alone.most_cached_bytes());
}

TEST_CASE("ranks share the last cache with those of the cores around them", "[node_copies]") {
    const LastCache cache{.bytes = 32 << 20, .cores = 8};
    CHECK(cache.share(1, 64) == 32 << 20);
    CHECK(cache.share(4, 64) == 8 << 20);
    CHECK(cache.share(64, 64) == 4 << 20);
    CHECK(cache.share(128, 64) == 2 << 20); // two ranks a core
    CHECK(cache.share(4, 2) == 8 << 20);    // fewer cores than the cache has: all ranks share it
    CHECK(LastCache::of_this_core().bytes > 0);
    CHECK(LastCache::of_this_core().cores > 0);
}
