// Where the bytes of an epoch lie, and how the room for them grows.
#include "node_in_process.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace switchyard::algorithms;
using switchyard::tests::NodeInProcess;

namespace {

struct Span {
    std::size_t begin, end;
    bool overlaps(const Span& other) const { return begin < other.end && other.begin < end; }
};

// A rank whose section has its first pages, and gets more.
struct GrowingRank {
    static constexpr std::size_t section_bytes = std::size_t{4} << 20;
    NodeMemory memory{section_bytes};
    section::Layout layout{2, section_bytes};
    NodeSections sections{0, 2, layout};
    NodeRoom room{sections};
    Group group;

    GrowingRank() {
        group.size = 2;
        const std::vector places{memory.lend(), memory.lend()};
        const auto pages = sections.join(LocalRanks(group), memory, places);
        REQUIRE(pages);
        room.has_pages(*pages);
    }
    std::size_t near_at(std::uint64_t epoch) const { return layout.notice_at(epoch) + layout.near_begin; }
    section::Notice next(std::uint64_t epoch) {
        room.begin_epoch(near_at(epoch), 0);
        return sections.notice(0, epoch);
    }
};

} // namespace

TEST_CASE("few bytes lie beside the notice, more in the ring", "[node_room]") {
    NodeInProcess node(2);
    NodeRoom& room = node[0].room;
    const section::Notice own = node[0].epochs.next();
    const auto near_begin = static_cast<std::size_t>(own.near - node[0].sections.own());
    std::vector<Span> taken;
    std::size_t near_blocks = 0;
    for (std::size_t bytes = 1; bytes < 600; bytes += 7) {
        const std::size_t place = room.place_for(bytes);
        if (place == 0) break;
        const Span block{place, place + bytes};
        for (const Span& other : taken) CHECK_FALSE(block.overlaps(other));
        taken.push_back(block);
        const bool is_near = block.end <= near_begin + node.layout.near_bytes && place >= near_begin;
        CHECK((is_near || place >= node.layout.ring_begin));
        near_blocks += is_near ? 1U : 0U;
    }
    CHECK(near_blocks > 1);
    CHECK(near_blocks < taken.size());
    // A larger block always lies in the ring.
    (void)node[0].epochs.next();
    CHECK(room.place_for(section::Layout::most_near_block + 1) >= node.layout.ring_begin);
}

TEST_CASE("an epoch does not touch the bytes of the one before", "[node_room]") {
    NodeInProcess node(3);
    NodeRoom& room = node[0].room;
    std::vector<Span> before;
    for (int epoch = 0; epoch < 200; ++epoch) {
        std::vector<Span> now;
        (void)node[0].epochs.next();
        for (const std::size_t bytes : {3000UL, 40UL, 100UL, 2500UL}) {
            const std::size_t place = room.place_for(bytes + static_cast<std::size_t>(epoch));
            if (place == 0) continue;
            now.push_back({place, place + bytes + static_cast<std::size_t>(epoch)});
            for (const Span& other : before) CHECK_FALSE(now.back().overlaps(other));
        }
        CHECK_FALSE(now.empty());
        const section::Area free = room.free();
        for (const Span& block : now) CHECK_FALSE(block.overlaps({free.begin, free.begin + free.bytes}));
        for (const Span& block : before) CHECK_FALSE(block.overlaps({free.begin, free.begin + free.bytes}));
        before = now;
    }
}

TEST_CASE("others find bytes for all where they lie", "[node_room]") {
    NodeInProcess node(2);
    for (const std::size_t bytes : {std::size_t{1}, node[0].room.most_near_bytes(),
                                    node[0].room.most_near_bytes() + 1, node.layout.first_capacity()}) {
        const section::Notice own = node[0].epochs.next(bytes);
        const std::byte* const place = node[0].room.place_for_all(bytes, own);
        node[0].epochs.enter(own);
        node[1].enter_empty_epoch();
        CHECK(node[1].room.shown(0, bytes, node[1].epochs.notice(0)) == place);
        CHECK((place < node[0].sections.own() + node.layout.ring_begin) ==
              (bytes <= node[0].room.most_near_bytes()));
    }
}

TEST_CASE("a block that has no room gets memory, as far as the section goes", "[node_room]") {
    GrowingRank rank;
    CHECK(rank.room.lacks_pages());
    CHECK(rank.room.capacity() == rank.layout.first_capacity());
    const std::size_t large = 3 * rank.room.capacity();
    (void)rank.next(1);
    const std::size_t place = rank.room.place_for(large);
    REQUIRE(place != 0);
    CHECK(rank.room.used() >= large);
    CHECK(rank.room.capacity() >= large);
    std::memset(rank.sections.own() + place, 1, large); // a signal if there is no memory
    CHECK(rank.room.place_for(rank.layout.capacity) == 0);
    rank.room.grow_for_epoch(rank.layout.capacity);
    CHECK(rank.room.capacity() == rank.layout.capacity);
    CHECK(rank.room.lacks_pages()); // memory that nobody has touched
}

TEST_CASE("the next bytes begin where it was said", "[node_room]") {
    GrowingRank rank;
    for (std::uint64_t epoch = 1; epoch < 20; ++epoch) {
        const std::byte* const expected = rank.room.next(5000);
        rank.room.begin_epoch(rank.near_at(epoch), 5000);
        CHECK(rank.sections.own() + rank.room.ring_place(5000) == expected);
    }
}

TEST_CASE("exchanges earn pages: on shared cores at any call, else at one of 128 epochs", "[node_room]") {
    const auto epoch_with_pages = [](bool shares_cores) {
        GrowingRank rank;
        std::uint64_t epoch = 0;
        while (rank.room.lacks_pages() && epoch < 1000) {
            (void)rank.next(++epoch);
            rank.room.earn_pages(std::size_t{1} << 34, false, shares_cores, epoch); // pays for all of them
        }
        CHECK(rank.room.capacity() == rank.layout.capacity);
        return epoch;
    };
    CHECK(epoch_with_pages(true) == 1);
    CHECK(epoch_with_pages(false) == 128);
}

TEST_CASE("an exchange of few bytes earns few pages", "[node_room]") {
    GrowingRank rank;
    (void)rank.next(1);
    rank.room.earn_pages(1, true, true, 1);
    CHECK(rank.room.lacks_pages());
    CHECK(rank.room.capacity() == rank.layout.first_capacity());
}

TEST_CASE("all pages at once", "[node_room]") {
    GrowingRank rank;
    CHECK_FALSE(rank.room.is_warm_for(1000, false));
    CHECK(rank.room.bring_all_pages() == rank.layout.ring_begin + rank.layout.ring_bytes);
    CHECK_FALSE(rank.room.lacks_pages());
    CHECK(rank.room.is_warm_for(rank.layout.capacity, false));
}
