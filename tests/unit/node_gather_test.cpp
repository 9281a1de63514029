// Bytes of each rank of a node for all other ranks.
#include "node_in_process.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>

using namespace switchyard::algorithms;
using switchyard::tests::ListOfBlocks;
using switchyard::tests::NodeInProcess;
using switchyard::tests::RankInProcess;
using switchyard::tests::some_bytes;

namespace {

// What each rank has in the end.
struct Gathered {
    std::vector<Status> statuses;
    std::vector<ListOfBlocks> blocks; // by rank

    Gathered(int ranks, const std::vector<std::size_t>& sizes) : statuses(static_cast<std::size_t>(ranks)) {
        for (int rank = 0; rank < ranks; ++rank) {
            blocks.emplace_back();
            for (const std::size_t size : sizes) blocks.back().blocks.emplace_back(size);
        }
    }
    bool are_right(const std::vector<std::size_t>& sizes) const {
        bool right = true;
        for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
            right = right && statuses[rank].ok();
            for (std::size_t source = 0; source < sizes.size(); ++source)
                right = right &&
                        blocks[rank].blocks[source] == some_bytes(sizes[source], static_cast<int>(source));
        }
        return right;
    }
};

auto gathering(const std::vector<std::size_t>& sizes, Gathered& gathered) {
    return [&](RankInProcess& rank) {
        const auto own = static_cast<std::size_t>(rank.sections.rank());
        const auto sent = some_bytes(sizes[own], rank.sections.rank());
        gathered.statuses[own] = rank.gather.allgather(sent, gathered.blocks[own]);
    };
}

} // namespace

TEST_CASE("all ranks have the blocks of all, near the notice or in the ring", "[node_gather]") {
    for (const int ranks : {1, 2, 5}) {
        NodeInProcess node(ranks);
        for (const std::size_t bytes :
             {std::size_t{0}, std::size_t{1}, std::size_t{16}, node[0].room.most_near_bytes(),
              node[0].room.most_near_bytes() + 1, node.layout.first_capacity() / 2}) {
            std::vector<std::size_t> sizes;
            for (int rank = 0; rank < ranks; ++rank)
                sizes.push_back(bytes * static_cast<std::size_t>(rank % 2 + 1));
            CAPTURE(ranks, bytes);
            Gathered gathered(ranks, sizes);
            node.in_turn(gathering(sizes, gathered));
            CHECK(gathered.are_right(sizes));
        }
    }
}

TEST_CASE("where nobody has anything, nobody waits", "[node_gather]") {
    NodeInProcess node(3);
    const std::vector<std::size_t> nothing(3, 0);
    Gathered gathered(3, nothing);
    gathering(nothing, gathered)(node[1]);
    CHECK(gathered.statuses[1].ok());
    CHECK(node[1].epochs.number() == 0);
}

TEST_CASE("more bytes than an epoch has room for follow in slots that all read", "[node_gather]") {
    NodeInProcess node(3);
    for (int turn = 0; turn < 4; ++turn) {
        const std::vector<std::size_t> sizes{node.layout.capacity * 5 + 3, 12, node.layout.capacity + 1};
        Gathered gathered(3, sizes);
        node.at_once(gathering(sizes, gathered));
        CHECK(gathered.are_right(sizes));
    }
    CHECK(node[1].sections.filled(0, 0).slots.load() > 4);
    CHECK(node[1].sections.filled(1, 1).slots.load() == 0);
}

TEST_CASE("a large block is offered to all", "[node_gather]") {
    NodeInProcess node(3);
    node.let_read();
    const std::vector<std::size_t> sizes{200'000, 100, NodeOffers::least_offered_bytes};
    Gathered gathered(3, sizes);
    node.at_once(gathering(sizes, gathered));
    CHECK(gathered.are_right(sizes));
    CHECK((node[0].epochs.notice(0).header->word & section::Header::is_offered) != 0);
    CHECK(node[0].epochs.notice(1).header->word == 100);
    if (node[0].offers.can_be_read_by(1) && node[2].offers.can_be_read_by(1))
        CHECK(node[1].offers.read_bytes() == sizes[0] + sizes[2]);
}

TEST_CASE("parts of a rank come one behind the other", "[node_gather]") {
    NodeInProcess node(2);
    constexpr std::size_t bytes = 3000;
    std::vector<std::byte> memory[2] = {some_bytes(bytes, 1), std::vector<std::byte>(bytes)};
    node.in_turn([&](RankInProcess& rank) {
        std::vector<std::byte>& own = memory[rank.sections.rank()];
        const Status status = rank.gather.gather(
            [&](int source, auto&& add) { // rank 1 has nothing
                if (source != 0) return;
                for (const std::size_t begin : {0U, 1000U, 1001U})
                    add(Part{own.data() + begin, begin == 0 ? 1000 : begin == 1000 ? 1 : bytes - 1001});
            },
            [] {});
        if (!status.ok()) throw std::runtime_error("an error");
    });
    CHECK(memory[1] == memory[0]);
}

TEST_CASE("a rank with more bytes than others expect is an error for them", "[node_gather]") {
    NodeInProcess node(2);
    const auto block = some_bytes(100, 1);
    ListOfBlocks places{{std::vector<std::byte>(99), std::vector<std::byte>(4)}},
        all{{std::vector<std::byte>(100), std::vector<std::byte>(4)}};
    const auto few = some_bytes(4, 2);
    Status statuses[2];
    node.in_turn([&](RankInProcess& rank) {
        statuses[rank.sections.rank()] = rank.sections.rank() == 0 ? rank.gather.allgather(block, all)
                                                                   : rank.gather.allgather(few, places);
    });
    CHECK(statuses[0].ok());
    CHECK(statuses[1].code == static_cast<int>(Fault::truncated));
    CHECK(std::equal(places.blocks[0].begin(), places.blocks[0].end(), block.begin()));
}

TEST_CASE("the own block is kept once the others can read it", "[node_gather]") {
    NodeInProcess node(2);
    bool was_there = false;
    const auto block = some_bytes(10, 1);
    node.in_turn([&](RankInProcess& rank) {
        (void)rank.gather.gather(
            [&](int source, auto&& add) {
                static std::byte place[10];
                add(Part{source == rank.sections.rank() ? const_cast<std::byte*>(block.data()) : place, 10});
            },
            [&] {
                if (rank.sections.rank() == 0)
                    was_there = rank.epochs.notice(0).header->epoch.load() == rank.epochs.number();
            });
    });
    CHECK(was_there);
}
