// The front of a node's memory, used by ranks of one process that join in turn.
#include "node_in_process.hpp"
#include "tests/support/catch.hpp"

#include "algorithms/transport/memory/node_blocks.hpp"
#include "algorithms/transport/memory/node_window.hpp"

#include <algorithm>
#include <array>

using namespace switchyard::algorithms;
using switchyard::tests::at_probe;
using switchyard::tests::some_bytes;

namespace {

constexpr int window_ranks = 3;

struct Windows {
    NodeMemory memory{std::size_t{1} << 18};
    std::array<Group, window_ranks> groups;
    std::array<std::unique_ptr<NodeWindow>, window_ranks> windows;
    std::vector<NodeMemory::Place> places;

    Windows() {
        for (int rank = 0; rank < window_ranks; ++rank) places.push_back(NodeWindow::offer(memory));
        for (int rank = 0; rank < window_ranks; ++rank) {
            Group& group = groups[static_cast<std::size_t>(rank)];
            group.rank = rank;
            group.size = window_ranks;
            windows[static_cast<std::size_t>(rank)] = NodeWindow::join(group, memory, places, 64);
            REQUIRE(windows[static_cast<std::size_t>(rank)]);
        }
        for (std::size_t rank = 0; rank < window_ranks; ++rank) windows[rank]->open(groups[rank]);
    }
    // Runs work(rank) for each rank: for the first rank, and for the next rank as soon as a rank waits.
    template <typename Work>
    void in_turn(Work&& work) {
        std::size_t next = 0;
        int looks = 0;
        at_probe = [&] {
            if (next < window_ranks)
                work(next++);
            else if (++looks > 100'000)
                throw std::runtime_error("a rank waits for ever");
        };
        while (next < window_ranks) work(next++);
        at_probe = {};
    }
};

} // namespace

TEST_CASE("a window says the largest number of its ranks", "[node_window]") {
    Windows all;
    CHECK(all.windows[0]->has_neighbours());
    CHECK(all.windows[0]->has_room_for(2));
    for (std::uint64_t turn = 1; turn < 5; ++turn) {
        std::array<std::array<std::uint64_t, 2>, window_ranks> numbers{};
        all.in_turn([&](std::size_t rank) {
            numbers[rank] = {rank == 1 ? turn * 100 : rank, turn + rank};
            if (!all.windows[rank]->largest(numbers[rank]).ok()) throw std::runtime_error("an error");
        });
        for (const auto& found : numbers)
            CHECK(found == std::array<std::uint64_t, 2>{turn * 100, turn + window_ranks - 1});
    }
}

TEST_CASE("one epoch brings numbers and blocks", "[node_window]") {
    Windows all;
    constexpr std::size_t bytes = 40;
    std::array<std::vector<std::byte>, window_ranks> sent, received;
    const std::vector<Block> blocks{{0, bytes}, {bytes, bytes}, {2 * bytes, bytes}};
    std::array<std::array<std::uint64_t, 1>, window_ranks> numbers{{{5}, {9}, {7}}};
    const auto exchange_of = [&](std::size_t rank) {
        return Exchange{all.groups[rank], sent[rank].data(), blocks, received[rank].data(), blocks, bytes};
    };
    for (std::size_t rank = 0; rank < window_ranks; ++rank) {
        sent[rank] = some_bytes(window_ranks * bytes, static_cast<int>(rank));
        received[rank].resize(window_ranks * bytes);
    }
    all.in_turn([&](std::size_t rank) {
        const Exchange exchange = exchange_of(rank);
        if (!all.windows[rank]->begin(&exchange, numbers[rank]).ok()) throw std::runtime_error("an error");
    });
    for (const auto& number : numbers) CHECK(number[0] == 9);
    for (std::size_t rank = 0; rank < window_ranks; ++rank) {
        CHECK(all.windows[rank]->finish(exchange_of(rank)).ok());
        for (std::size_t source = 0; source < window_ranks; ++source)
            CHECK(std::equal(&received[rank][source * bytes], &received[rank][source * bytes] + bytes,
                             &sent[source][rank * bytes]));
    }
}

TEST_CASE("a group of some ranks of the node exchanges in the window of all", "[node_window]") {
    Windows all;
    // Rank 1 is in no group of two, so it exchanges with itself.
    const std::array<int, 2> outer{0, 2};
    const std::array<int, 1> middle{1};
    std::array<std::vector<std::byte>, window_ranks> sent, received;
    all.in_turn([&](std::size_t rank) {
        const Group group = rank == 1 ? all.groups[rank].part(0, 1, middle.data())
                                      : all.groups[rank].part(rank == 2 ? 1 : 0, 2, outer.data());
        const std::vector<Block> blocks =
            rank == 1 ? std::vector<Block>{{0, 10}} : std::vector<Block>{{0, 10}, {10, 10}};
        sent[rank] = some_bytes(20, static_cast<int>(rank));
        received[rank].resize(20);
        const Exchange exchange{group, sent[rank].data(), blocks, received[rank].data(), blocks, 10};
        if (!all.windows[rank]->exchange(exchange).ok()) throw std::runtime_error("an error");
    });
    CHECK(std::equal(&received[0][10], &received[0][10] + 10, &sent[2][0]));
    CHECK(std::equal(&received[2][0], &received[2][0] + 10, &sent[0][10]));
    CHECK(std::equal(&received[1][0], &received[1][0] + 10, &sent[1][0]));
}

TEST_CASE("ranks look at each other's bytes where they lie", "[node_window]") {
    for (const bool has_room : {true, false}) {
        Windows all;
        std::array<std::byte*, window_ranks> room{};
        std::array<bool, window_ranks> by_all{};
        for (int turn = 0; turn < 3; ++turn) {
            all.in_turn([&](std::size_t rank) {
                room[rank] = all.windows[rank]->room(300);
                if (room[rank] == nullptr) throw std::runtime_error("no room");
                for (std::size_t i = 0; i < 300; ++i)
                    room[rank][i] = static_cast<std::byte>(rank * 10 + i / 100);
                const std::vector<Block> offers{{0, 100}, {100, 100}, {200, 100}};
                const bool offers_some = has_room || rank != 1;
                const auto shown = all.windows[rank]->show(offers_some ? std::span<const Block>(offers)
                                                                       : std::span<const Block>());
                by_all[rank] = shown.by_all && shown.status.ok();
            });
            for (std::size_t rank = 0; rank < window_ranks; ++rank) {
                CHECK(by_all[rank] == has_room);
                for (std::size_t source = 0; has_room && source < window_ranks; ++source) {
                    const std::byte* const seen = all.windows[rank]->shown_by(static_cast<int>(source));
                    CHECK(*seen == static_cast<std::byte>(source * 10 + rank));
                }
            }
        }
        CHECK(all.windows[0]->room(std::size_t{1} << 20) == nullptr); // more than there is
    }
}

TEST_CASE("sections are lent again once all ranks have freed their windows", "[node_window]") {
    Windows all;
    for (auto& window : all.windows) {
        window->bring_all_pages();
        CHECK(all.memory.lend().offset > all.places.back().offset);
        window.reset();
    }
    CHECK(all.memory.lend().offset == all.places.front().offset);
}
