// How ranks join, and what they see of each other's sections.
#include "node_in_process.hpp"
#include "tests/support/catch.hpp"

#include "algorithms/node_map.hpp"

#include <algorithm>
#include <optional>
#include <set>

using namespace switchyard::algorithms;
using switchyard::tests::NodeInProcess;

namespace {

constexpr std::size_t joined_bytes = std::size_t{1} << 20;

// Ranks of one process. Each has lent a section.
struct Joining {
    static constexpr int ranks = 3;
    NodeMemory memory{joined_bytes};
    std::vector<NodeMemory::Place> places;
    Group groups[ranks];

    Joining() {
        for (int rank = 0; rank < ranks; ++rank) {
            places.push_back(memory.lend());
            groups[rank].rank = rank;
            groups[rank].size = ranks;
        }
    }
    static section::Layout layout() { return {ranks, joined_bytes}; }
    std::optional<NodePages> join(NodeSections& sections) {
        return sections.join(LocalRanks(groups[sections.rank()]), memory, places);
    }
};

} // namespace

TEST_CASE("ranks that have joined see each other's sections, with the first pages there", "[node_sections]") {
    Joining all;
    const section::Layout layout = Joining::layout();
    NodeSections first(0, Joining::ranks, layout), last(2, Joining::ranks, layout);
    const auto pages = all.join(first);
    REQUIRE(pages);
    CHECK(pages->memory_end() == layout.ring_begin + layout.first_bytes);
    CHECK_FALSE(pages->are_all_there());
    REQUIRE(all.join(last));
    CHECK(first.own() == first.of(0));
    CHECK(last.own() == last.of(2));
    first.own()[layout.ring_begin] = std::byte{7};
    CHECK(last.of(0)[layout.ring_begin] == std::byte{7});
}

TEST_CASE("who joins clears its own section, and no other", "[node_sections]") {
    Joining all;
    const section::Layout layout = Joining::layout();
    NodeSections sections(1, Joining::ranks, layout);
    for (const auto& place : all.places) {
        REQUIRE(all.memory.extend(place, layout.ring_begin));
        std::memset(all.memory.data_at(place), 0xee, layout.ring_begin);
    }
    REQUIRE(all.join(sections));
    CHECK(std::all_of(sections.own(), sections.own() + layout.first_notice,
                      [](std::byte byte) { return byte == std::byte{0}; }));
    for (const std::uint64_t epoch : {0U, 1U}) {
        CHECK(sections.notice(1, epoch).header->epoch.load() == 0);
        CHECK(sections.notice(2, epoch).header->epoch.load() != 0);
    }
    CHECK(sections.filled(1, 0).slots.load() == 0);
    CHECK(sections.filled(2, 1).slots.load() != 0);
}

TEST_CASE("a section is lent again once all ranks that opened their window have left it", "[node_sections]") {
    Joining all;
    const auto is_lent_again = [&] {
        const auto place = all.memory.lend();
        const bool again =
            std::ranges::any_of(all.places, [&](const auto& one) { return one.offset == place.offset; });
        if (!again) all.memory.take_back(place);
        return again;
    };
    std::optional<NodeSections> ranks[Joining::ranks];
    for (int rank = 0; rank < Joining::ranks; ++rank) {
        ranks[rank].emplace(rank, Joining::ranks, Joining::layout());
        REQUIRE(all.join(*ranks[rank]));
        ranks[rank]->open();
    }
    for (auto& rank : ranks) {
        CHECK_FALSE(is_lent_again());
        rank.reset();
    }
    CHECK(is_lent_again());
}

TEST_CASE("a rank whose window was not opened leaves nothing", "[node_sections]") {
    Joining all;
    for (int rank = 0; rank < Joining::ranks; ++rank) {
        NodeSections sections(rank, Joining::ranks, Joining::layout());
        REQUIRE(all.join(sections));
    }
    const auto place = all.memory.lend();
    CHECK(std::ranges::none_of(all.places, [&](const auto& one) { return one.offset == place.offset; }));
}

TEST_CASE("without one of the sections nobody joins", "[node_sections]") {
    Joining all;
    all.places[2] = {};
    NodeSections sections(0, Joining::ranks, Joining::layout());
    CHECK_FALSE(all.join(sections));
}

TEST_CASE("the others follow a rank around the ring", "[node_sections]") {
    const auto others = [](int rank, int ranks) {
        const NodeSections sections(rank, ranks, section::Layout(ranks, joined_bytes));
        std::vector<int> found;
        for (const int local : sections.others()) found.push_back(local);
        return found;
    };
    CHECK(others(1, 4) == std::vector{2, 3, 0});
    CHECK(others(3, 4) == std::vector{0, 1, 2});
    CHECK(others(0, 2) == std::vector{1});
    CHECK(others(0, 1).empty());
}

TEST_CASE("every two ranks have counts of their own, which lie in the writer's section", "[node_sections]") {
    NodeInProcess node(3);
    std::set<const void*> found;
    for (int writer = 0; writer < 3; ++writer)
        for (int reader = 0; reader < 3; ++reader) {
            const auto& sections = node[0].sections;
            const auto *const filled = &sections.filled(writer, reader), *const end = filled + 1;
            CHECK(found.insert(filled).second);
            CHECK(found.insert(&sections.emptied(writer, reader)).second);
            CHECK(reinterpret_cast<const std::byte*>(filled) >= sections.of(writer));
            CHECK(reinterpret_cast<const std::byte*>(end) <= sections.of(writer) + node.layout.first_notice);
            CHECK(filled == &node[2].sections.filled(writer, reader)); // all ranks see the same
        }
}

TEST_CASE("local ranks are those of the own node", "[node_sections]") {
    const NodeMap map(std::vector<std::uint64_t>{5, 9, 5, 5, 9});
    Group group;
    group.rank = 3;
    group.size = 5;
    const LocalRanks alone(group);
    CHECK(alone.own() == 3);
    CHECK(alone.count() == 5);
    CHECK(alone.most() == 5);
    CHECK(alone.rank_of(4) == 4);
    group.node_map = &map;
    const LocalRanks first(group);
    CHECK(first.own() == 2);
    CHECK(first.count() == 3);
    CHECK(first.rank_of(1) == 2);
    group.rank = 4;
    const LocalRanks second(group);
    CHECK(second.own() == 1);
    CHECK(second.count() == 2);
    CHECK(second.most() == 3);
    CHECK(second.rank_of(0) == 1);
}
