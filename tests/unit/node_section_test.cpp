// Where the bytes of a rank's epochs lie in its section, and which of its pages are there.
#include "tests/support/catch.hpp"

#include "algorithms/transport/memory/node_pages.hpp"
#include "algorithms/transport/memory/node_section.hpp"

#include <algorithm>
#include <cstdint>

using namespace switchyard::algorithms;
using section::Layout;
using section::Ring;

namespace {

constexpr std::size_t section_bytes = std::size_t{2} << 20;

// A ring with memory for all of its bytes. Its epochs may go round before `end`.
Ring ring_of(const Layout& layout, std::size_t end) {
    Ring ring(layout);
    ring.has_memory(layout.ring_begin + layout.ring_bytes);
    ring.widen(end);
    return ring;
}

// The largest end of `epochs` epochs. No epoch lies over the epoch before, whose bytes other ranks
// may still read.
std::size_t end_of_epochs(Ring& ring, std::size_t bytes, int epochs) {
    std::size_t before = 0, last = 0;
    for (int epoch = 0; epoch < epochs; ++epoch) {
        ring.begin_epoch(0);
        const std::size_t place = ring.take(bytes);
        REQUIRE(place != 0);
        if (epoch > 0) CHECK((place + bytes <= before || before + bytes <= place));
        before = place;
        last = std::max(last, place + bytes);
    }
    return last;
}

} // namespace

TEST_CASE("epochs go round where they have a turn", "[node_section]") {
    const Layout layout(4, section_bytes);
    for (const std::size_t bytes : {std::size_t{5000}, std::size_t{70'000}, std::size_t{196'608}})
        for (const std::size_t epochs_in_turn : {2U, 3U, 5U}) {
            CAPTURE(bytes, epochs_in_turn);
            const std::size_t epoch = section::rounded_up(bytes, section::line_bytes);
            const std::size_t end = layout.ring_begin + std::max(epochs_in_turn * epoch, Layout::least_turn);
            Ring ring = ring_of(layout, end);
            REQUIRE(ring.has_turn_for(bytes, end));
            CHECK(end_of_epochs(ring, bytes, 100) <= end);
        }
}

TEST_CASE("two epochs have to fit into a turn", "[node_section]") {
    const Layout layout(4, section_bytes);
    const Ring ring = ring_of(layout, layout.ring_begin);
    const std::size_t bytes = 64 * section::line_bytes;
    CHECK(ring.has_turn_for(bytes, layout.ring_begin + 2 * bytes));
    CHECK_FALSE(ring.has_turn_for(bytes, layout.ring_begin + 2 * bytes - 1));
    CHECK_FALSE(ring.has_turn_for(bytes + 1, layout.ring_begin + 2 * bytes));
    // An epoch has at most a third of the ring.
    const std::size_t end = layout.ring_begin + layout.ring_bytes;
    CHECK(ring.has_turn_for(layout.capacity - section::line_bytes, end));
    CHECK_FALSE(ring.has_turn_for(layout.capacity + section::line_bytes, end));
}

TEST_CASE("a ring is as long as it is of use, and has room for a slot of each stream", "[node_section]") {
    for (const int ranks : {2, 9, 64, 500}) {
        CAPTURE(ranks);
        const Layout whole(ranks, section_bytes);
        for (const std::size_t most :
             {std::size_t{0}, std::size_t{100'000}, std::size_t{512} << 10, SIZE_MAX}) {
            const Layout layout(ranks, section_bytes, most);
            CHECK(layout.ring_begin == whole.ring_begin);
            CHECK(layout.first_bytes == whole.first_bytes);
            CHECK(layout.first_capacity() == whole.first_capacity());
            CHECK(layout.ring_bytes == std::clamp(most, whole.first_bytes, whole.ring_bytes));
            CHECK(layout.is_enough() == whole.is_enough());
        }
    }
}

TEST_CASE("pages come from what is saved", "[node_pages]") {
    constexpr std::size_t bytes = std::size_t{1} << 20, first = std::size_t{64} << 10;
    NodeMemory memory(bytes);
    const auto place = memory.lend();
    REQUIRE(place);
    REQUIRE(memory.extend(place, first));
    NodePages pages(memory, place, memory.data_at(place), first, bytes);
    CHECK(pages.end() == first);
    CHECK_FALSE(pages.are_all_there());

    pages.save(0, 1'000'000);
    CHECK_FALSE(pages.spend());
    CHECK(pages.end() == first);

    // A page takes at most 20 us, so this much pays for the first pages.
    constexpr std::size_t much = std::size_t{64} << 20;
    pages.save(much, 1);
    CHECK(pages.spend());
    CHECK(pages.end() >= first + NodePages::some_bytes);
    for (int i = 0; i < 100; ++i) {
        pages.save(much, 1);
        (void)pages.spend();
    }
    CHECK(pages.are_all_there());
    CHECK(pages.memory_end() == bytes);
    CHECK_FALSE(pages.were_refused());
    CHECK_FALSE(pages.spend());
}
