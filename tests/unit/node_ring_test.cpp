// Writes past the caches, and how a window's ring gives out its places.
#include "tests/support/catch.hpp"

#include "algorithms/transport/memory/node_section.hpp"
#include "algorithms/transport/memory/past_caches.hpp"

#include <algorithm>
#include <vector>

using switchyard::algorithms::copy_past_caches;
using namespace switchyard::algorithms::section;

TEST_CASE("bytes written past the caches arrive, and no others", "[node_ring]") {
    std::vector<std::byte> from(1000), to(1400);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + 1);
    for (const std::size_t begin : {0UL, 1UL, 15UL, 16UL, 63UL, 64UL, 100UL})
        for (const std::size_t bytes :
             {0UL, 1UL, 15UL, 63UL, 64UL, 65UL, 127UL, 128UL, 200UL, 777UL, 1000UL}) {
            std::ranges::fill(to, std::byte{0xee});
            copy_past_caches(&to[begin], from.data(), bytes);
            CHECK(std::equal(&to[begin], &to[begin] + bytes, from.data()));
            CHECK(std::ranges::count(to, std::byte{0xee}) >= static_cast<std::ptrdiff_t>(to.size() - bytes));
            CHECK(std::all_of(to.data(), &to[begin], [](std::byte b) { return b == std::byte{0xee}; }));
            CHECK(std::all_of(&to[begin] + bytes, to.data() + to.size(),
                              [](std::byte b) { return b == std::byte{0xee}; }));
        }
}

TEST_CASE("bytes of an epoch lie in the ring, beside those of the epoch before", "[node_ring]") {
    for (const std::size_t room : {4096UL, 65536UL, 1UL << 21})
        for (const int ranks : {2, 5, 16}) {
            const Layout layout(ranks, room);
            REQUIRE(layout.is_enough());
            Ring ring(layout);
            std::size_t last_begin = 0, last_end = 0;
            unsigned random = 1;
            for (int epoch = 0; epoch < 3000; ++epoch) {
                random = random * 1664525 + 1013904223;
                const std::size_t need = random / 65536 % 3 == 0 ? random % (layout.capacity + 1) : 0;
                const std::size_t expected = ring.next(need);
                ring.begin_epoch(need);
                std::size_t begin = 0, end = 0;
                const auto take = [&](std::size_t bytes) {
                    const std::size_t place = ring.take(bytes);
                    if (place == 0) return false;
                    CHECK(place >= std::max(end, layout.ring_begin));
                    if (end == 0) begin = place;
                    end = place + bytes;
                    CHECK(end <= layout.ring_begin + layout.ring_bytes);
                    CHECK((end <= last_begin || begin >= last_end));
                    return true;
                };
                if (need > 0) {
                    REQUIRE(take(need));
                    CHECK(begin == expected);
                }
                for (int block = 0; block < epoch % 7; ++block) take(random / 256 % (layout.capacity / 3));
                const auto free = ring.free();
                CHECK(free.bytes >= layout.capacity / 3);
                CHECK((free.begin >= end || free.begin + free.bytes <= begin));
                CHECK((free.begin >= last_end || free.begin + free.bytes <= last_begin));
                CHECK(free.begin + free.bytes <= layout.ring_begin + layout.ring_bytes);
                last_begin = begin;
                last_end = end;
            }
        }
}

TEST_CASE("an epoch has a third of the memory that is there", "[node_ring]") {
    const Layout layout(4, std::size_t{2} << 20);
    Ring ring(layout);
    ring.has_memory(layout.ring_begin + layout.first_bytes);
    CHECK(ring.capacity() == layout.first_capacity());
    ring.begin_epoch(0);
    CHECK(ring.has_room(ring.capacity()));
    CHECK_FALSE(ring.has_room(ring.capacity() + 1));
    CHECK(ring.take(layout.capacity) == 0);
    const std::size_t first = ring.take(1000), wanted = ring.memory_for(ring.used() + 100'000);
    REQUIRE(first != 0);
    ring.has_memory(wanted);
    CHECK(ring.has_room(100'000)); // in the epoch under way
    CHECK(ring.take(100'000) > first);
    CHECK(ring.last() == wanted);
    CHECK_FALSE(ring.is_whole());
    ring.has_memory(ring.memory_for(layout.capacity + 1));
    CHECK(ring.is_whole());
    CHECK(ring.capacity() == layout.capacity);
}

TEST_CASE("a ring that grows in the midst of an epoch keeps what others read", "[node_ring]") {
    const Layout layout(3, std::size_t{1} << 20);
    for (unsigned seed = 1; seed < 40; ++seed) {
        Ring ring(layout);
        ring.has_memory(layout.ring_begin + layout.first_bytes);
        std::size_t last_begin = 0, last_end = 0;
        unsigned random = seed;
        const auto roll = [&](std::size_t limit) {
            random = random * 1664525 + 1013904223;
            return random / 256 % (limit + 1);
        };
        for (int epoch = 0; epoch < 400; ++epoch) {
            ring.begin_epoch(roll(3) == 0 ? roll(ring.capacity()) : 0);
            std::size_t begin = 0, end = 0;
            for (std::size_t block = roll(5); block > 0; --block) {
                const std::size_t bytes = 1 + roll(std::size_t{400} * (static_cast<std::size_t>(epoch) + 1));
                if (!ring.has_room(bytes) && roll(2) == 0)
                    ring.has_memory(ring.memory_for(ring.used() + bytes));
                const std::size_t place = ring.take(bytes);
                if (place == 0) continue;
                CHECK((place >= last_end || place + bytes <= last_begin));
                CHECK(place + bytes <= ring.last());
                if (end == 0) begin = place;
                end = place + bytes;
            }
            const auto free = ring.free();
            CHECK(free.bytes >= ring.capacity() / 3);
            CHECK(free.begin + free.bytes <= ring.last());
            last_begin = begin;
            last_end = end;
        }
        CHECK(ring.last() > layout.ring_begin + layout.first_bytes);
    }
}

namespace {

// How far epochs of `blocks` blocks each reach into the ring. Counts the blocks that found no room.
struct Reach {
    std::size_t bytes = 0;
    int missed = 0;
};
Reach reach_of(Ring& ring, const Layout& layout, int epochs, std::size_t blocks, std::size_t block_bytes) {
    Reach reach;
    for (int epoch = 0; epoch < epochs; ++epoch) {
        ring.begin_epoch(0);
        for (std::size_t block = 0; block < blocks; ++block) {
            const std::size_t place = ring.take(block_bytes);
            if (place == 0) ++reach.missed;
            if (place != 0) reach.bytes = std::max(reach.bytes, place + block_bytes - layout.ring_begin);
        }
    }
    return reach;
}

} // namespace

TEST_CASE("epochs take no more of the ring than two of them need", "[node_ring]") {
    constexpr std::size_t least_turn = Layout::least_turn;
    const Layout layout(4, std::size_t{2} << 20);
    for (const std::size_t block : {8UL, 1024UL, 4096UL, 16384UL, 65536UL}) {
        Ring ring(layout);
        const Reach reach = reach_of(ring, layout, 10'000, 3, block);
        CHECK(reach.missed == 0);
        const std::size_t epoch = 3 * rounded_up(block, line_bytes);
        CHECK(reach.bytes <= std::max(least_turn + epoch, 2 * epoch));
    }
}

TEST_CASE("an epoch that outgrows its place has room the next time", "[node_ring]") {
    const Layout layout(4, std::size_t{2} << 20);
    Ring ring(layout);
    CHECK(reach_of(ring, layout, 100, 3, 40000).missed == 0);
    CHECK(reach_of(ring, layout, 1, 3, 100000).missed <= 3);
    CHECK(reach_of(ring, layout, 100, 3, 100000).missed <= 3); // of the one whose place the first had
    reach_of(ring, layout, 100, 3, 40000);
    CHECK(reach_of(ring, layout, 100, 3, 40000).bytes <= 6 * 40000 + 65536); // the large ones are forgotten
}
