// Large blocks as messages, and what the ranks of a node tell each other about their cores.
#include "node_in_process.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <bit>

using namespace switchyard::algorithms;
using switchyard::tests::NodeInProcess;
using switchyard::tests::RankInProcess;
using switchyard::tests::some_bytes;

namespace {

constexpr std::size_t message_bytes = 100'000;

void send_message(RankInProcess& rank, int to, std::vector<std::byte>& block) {
    const section::Notice own = rank.epochs.next();
    rank.messages.send({.local = to, .data = block.data(), .bytes = block.size()}, own);
    rank.epochs.enter(own);
}

} // namespace

TEST_CASE("a block that is a message says so in the notice, without slots", "[node_messages]") {
    NodeInProcess node(3);
    auto block = some_bytes(message_bytes, 1);
    send_message(node[0], 2, block);
    node[2].enter_empty_epoch();
    const section::Notice notice = node[2].epochs.notice(0);
    CHECK(notice.slices[2].bytes == section::Slice::stream);
    CHECK(notice.places[2].bytes == message_bytes);
    CHECK(notice.places[2].slots == 0);
    std::vector<std::byte> place(message_bytes);
    node[2].messages.receive(0, place.data(), message_bytes);
    for (const int rank : {0, 2}) {
        CHECK(node[rank].messages.has_some());
        CHECK(node[rank].messages.end().ok());
        CHECK_FALSE(node[rank].messages.has_some());
    }
    CHECK(place == block);
}

TEST_CASE("a message without room is taken all the same", "[node_messages]") {
    NodeInProcess node(2);
    auto lost = some_bytes(message_bytes, 1), kept = some_bytes(10, 2);
    send_message(node[1], 0, lost);
    send_message(node[1], 0, kept);
    std::vector<std::byte> place(kept.size());
    node[0].messages.lose(1, lost.size());
    node[0].messages.receive(1, place.data(), place.size());
    CHECK(node[0].messages.end().ok());
    CHECK(place == kept);
    CHECK(node[1].messages.end().ok());
}

TEST_CASE("ranks watch the load where several share each core", "[node_messages]") {
    CHECK(NodeInProcess(5, 1 << 16, 2)[0].messages.watches_load());
    CHECK_FALSE(NodeInProcess(4, 1 << 16, 2)[0].messages.watches_load());
    NodeInProcess node(2);
    CHECK_FALSE(node[0].messages.others_have_cores());
    node[0].messages.assume_others();
    CHECK(node[0].messages.others_have_cores());
    CHECK(node[0].messages.watches_load());
    NodeInProcess alone(1); // sends no messages
    alone[0].messages.assume_others();
    CHECK_FALSE(alone[0].messages.watches_load());
}

TEST_CASE("traffic is what was sent since the last time", "[node_messages]") {
    NodeInProcess node(5, 1 << 16, 2);
    auto block = some_bytes(message_bytes, 1);
    CHECK(node[0].messages.take_traffic().messages == 0);
    send_message(node[0], 1, block);
    send_message(node[0], 1, block);
    const Traffic traffic = node[0].messages.take_traffic();
    CHECK(traffic.messages == 2);
    CHECK(traffic.bytes == 2 * message_bytes);
    CHECK(node[0].messages.take_traffic().messages == 0);
    CHECK(node[0].messages.end().ok());
    for (int i = 0; i < 2; ++i) {
        node[1].messages.lose(0, message_bytes);
        CHECK(node[1].messages.end().ok());
    }
}

TEST_CASE("each rank tells its part of a core, and hears the parts of all", "[node_messages]") {
    NodeInProcess node(5, 1 << 16, 2);
    const auto exchange_parts = [&](double part) {
        for (int rank = 0; rank < node.size(); ++rank) {
            const section::Notice own = node[rank].epochs.next();
            node[rank].messages.tell_load(own);
            if (rank > 0) own.header->word = std::bit_cast<std::uint64_t>(part);
            node[rank].epochs.enter(own);
        }
        node[0].messages.hear_load(node[0].sections, node[0].epochs.number());
    };
    exchange_parts(0.0);
    // While nothing is known, a rank has a whole core.
    CHECK(std::bit_cast<double>(node[0].epochs.notice(0).header->word) == 1);
    CHECK_FALSE(node[0].messages.others_have_cores()); // no period of this rank has ended
    std::this_thread::sleep_for(2 * NodeLoad::period);
    exchange_parts(0.0);
    CHECK(node[0].messages.others_have_cores());
    for (int i = 0; i < 10 && node[0].messages.others_have_cores(); ++i) {
        std::this_thread::sleep_for(NodeLoad::period);
        exchange_parts(1.0);
    }
    CHECK_FALSE(node[0].messages.others_have_cores());
}
