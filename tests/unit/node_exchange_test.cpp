// Exchanges of blocks among the ranks of a node.
#include "node_in_process.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <functional>

using namespace switchyard::algorithms;
using switchyard::tests::at_probe;
using switchyard::tests::ListOfBlocks;
using switchyard::tests::NodeInProcess;
using switchyard::tests::RankInProcess;
using switchyard::tests::some_bytes;

namespace {

using BlockSizes = std::function<std::size_t(int source, int destination)>;

std::vector<std::byte> block_of(int source, int destination, std::size_t bytes) {
    return some_bytes(bytes, source * 100 + destination);
}

ListOfBlocks blocks_of(int source, int ranks, const BlockSizes& sizes) {
    ListOfBlocks sent;
    for (int to = 0; to < ranks; ++to) sent.blocks.push_back(block_of(source, to, sizes(source, to)));
    return sent;
}
ListOfBlocks room_of(int destination, int ranks, const BlockSizes& sizes) {
    ListOfBlocks received;
    for (int from = 0; from < ranks; ++from) received.blocks.emplace_back(sizes(from, destination));
    return received;
}
bool are_right(const ListOfBlocks& received, int destination, const BlockSizes& sizes) {
    for (int from = 0; from < static_cast<int>(received.blocks.size()); ++from)
        if (received.blocks[static_cast<std::size_t>(from)] !=
            block_of(from, destination, sizes(from, destination)))
            return false;
    return true;
}

struct Results {
    std::vector<Status> statuses;
    std::vector<ListOfBlocks> received;
    Results(const NodeInProcess& node, const BlockSizes& sizes)
        : statuses(static_cast<std::size_t>(node.size())) {
        for (int rank = 0; rank < node.size(); ++rank) received.push_back(room_of(rank, node.size(), sizes));
    }
    bool are_right(const BlockSizes& sizes) const {
        bool right = true;
        for (std::size_t rank = 0; rank < statuses.size(); ++rank)
            right =
                right && statuses[rank].ok() && ::are_right(received[rank], static_cast<int>(rank), sizes);
        return right;
    }
};

// One rank's work in an exchange of blocks of `sizes`.
auto exchanging(const NodeInProcess& node, const BlockSizes& sizes, Results& results) {
    return [&](RankInProcess& rank) {
        const auto own = static_cast<std::size_t>(rank.sections.rank());
        const ListOfBlocks sent = blocks_of(rank.sections.rank(), node.size(), sizes);
        results.statuses[own] = rank.exchange.exchange(sent, results.received[own], false);
    };
}

} // namespace

TEST_CASE("every block comes to its destination, epoch after epoch", "[node_exchange]") {
    for (const int ranks : {1, 2, 3, 6}) {
        NodeInProcess node(ranks);
        for (const std::size_t scale : {std::size_t{0}, std::size_t{1}, std::size_t{40}, std::size_t{700}})
            for (int epoch = 0; epoch < 5; ++epoch) {
                const BlockSizes sizes = [&](int source, int destination) {
                    return scale * static_cast<std::size_t>((source * 3 + destination + epoch) % 5);
                };
                CAPTURE(ranks, scale, epoch);
                Results results(node, sizes);
                node.in_turn(exchanging(node, sizes, results));
                CHECK(results.are_right(sizes));
            }
    }
}

TEST_CASE("blocks that are larger than the ring come in streams", "[node_exchange]") {
    for (const bool can_read : {false, true}) {
        NodeInProcess node(3);
        if (can_read) node.let_read();
        for (int epoch = 0; epoch < 5; ++epoch) {
            const BlockSizes sizes = [&](int source, int destination) {
                return static_cast<std::size_t>((source + 2 * destination + epoch) % 4) * 70'000;
            };
            CAPTURE(can_read, epoch);
            Results results(node, sizes);
            node.at_once(exchanging(node, sizes, results));
            CHECK(results.are_right(sizes));
        }
        CHECK(node[0].slots.are_emptied());
    }
}

TEST_CASE("a block that is larger than its place is an error there, and stays out of it", "[node_exchange]") {
    NodeInProcess node(2);
    const BlockSizes sizes = [](int, int) { return 100; },
                     places = [](int source, int destination) { return source < destination ? 99U : 100U; };
    Results results(node, places);
    node.in_turn(exchanging(node, sizes, results));
    CHECK(results.statuses[0].ok());
    CHECK(results.statuses[1].code == static_cast<int>(Fault::truncated));
    CHECK(results.received[1].blocks[0] == std::vector<std::byte>(99));
    CHECK(are_right(results.received[0], 0, sizes));
}

TEST_CASE("a rank waits for its senders alone, and for the others before it goes on", "[node_exchange]") {
    NodeInProcess node(2);
    const BlockSizes to_first = [](int source, int destination) { return source > destination ? 10U : 0U; };
    Results results(node, to_first);
    int probes = 0;
    at_probe = [&] { ++probes; };
    const auto work = exchanging(node, to_first, results);
    work(node[1]); // the other rank has not come
    CHECK(probes == 0);
    at_probe = [&] {
        if (++probes == 1) work(node[0]);
    };
    CHECK(node[1].exchange.is_ready()); // once it has come
    CHECK(probes == 1);
    CHECK(node[1].exchange.is_ready());
    CHECK(probes == 1);
    at_probe = {};
    CHECK(results.are_right(to_first));
}

TEST_CASE("in place the blocks change sides", "[node_exchange]") {
    for (const std::size_t bytes : {std::size_t{300}, std::size_t{90'000}}) {
        NodeInProcess node(3);
        const BlockSizes sizes = [&](int source, int destination) {
            return bytes * static_cast<std::size_t>(source + destination);
        };
        Results results(node, sizes);
        for (int rank = 0; rank < 3; ++rank)
            results.received[static_cast<std::size_t>(rank)] = blocks_of(rank, 3, sizes);
        node.at_once([&](RankInProcess& rank) {
            const auto own = static_cast<std::size_t>(rank.sections.rank());
            const ListOfBlocks& blocks = results.received[own];
            results.statuses[own] = rank.exchange.exchange(blocks, blocks, true);
        });
        CHECK(results.are_right(sizes));
    }
}

TEST_CASE("a direct block leaves its mark", "[node_exchange]") {
    struct Sent : ListOfBlocks {
        static bool is_direct(std::size_t bytes) { return bytes >= 50; }
    };
    struct Received : ListOfBlocks {
        std::vector<int>* marks;
        void meets_mark(int source) const { marks->push_back(source); }
    };
    NodeInProcess node(3);
    std::vector<int> marks[3];
    std::vector<Received> received;
    for (auto& of_rank : marks) {
        received.push_back({room_of(0, 3, [](int, int) { return 20; }), &of_rank});
    }
    node.in_turn([&](RankInProcess& rank) {
        const int own = rank.sections.rank();
        const Sent sent{blocks_of(own, 3, [](int source, int) { return source == 2 ? 60 : 20; })};
        // Rank 2's own block does not fit into its place.
        const Status status = rank.exchange.exchange(sent, received[static_cast<std::size_t>(own)], false);
        if (own != 2 && !status.ok()) throw std::runtime_error("an error");
    });
    CHECK(marks[0] == std::vector{2});
    CHECK(marks[1] == std::vector{2});
    CHECK(marks[2].empty());
    CHECK(received[1].blocks[0] == block_of(0, 1, 20));
}
