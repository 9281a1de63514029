// Blocks that an epoch has no room for, piece by piece.
#include "node_in_process.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>

using namespace switchyard::algorithms;
using switchyard::tests::at_probe;
using switchyard::tests::NodeInProcess;
using switchyard::tests::RankInProcess;
using switchyard::tests::some_bytes;

namespace {

// Enters an epoch that has nothing but these streams.
void begin_streams(RankInProcess& rank, std::initializer_list<Stream> streams, bool in_place = false) {
    rank.streams.clear_out();
    rank.streams.clear_in();
    const section::Notice own = rank.epochs.next();
    for (const Stream& stream : streams) rank.streams.send(stream);
    if (streams.size() > 0) rank.streams.lay_out(own, in_place);
    rank.epochs.enter(own);
}

void meet_stream(RankInProcess& rank, int source, std::span<std::byte> place) {
    const section::StreamPlace& said = rank.epochs.notice(source).places[rank.sections.rank()];
    rank.streams.receive({.local = source,
                          .data = place.data(),
                          .bytes = said.bytes,
                          .begin = said.begin,
                          .slot_bytes = said.slot_bytes,
                          .slots = said.slots,
                          .room = place.size(),
                          .from = said.from,
                          .proof = said.proof,
                          .is_offered = said.shown_or_offered != 0});
}

// The ranks serve their streams in turn until all streams are over. Returns the number of turns.
int serve_in_turn(std::initializer_list<RankInProcess*> ranks, bool in_place = false) {
    int turns = 0;
    for (bool are_over = false; !are_over && turns < 10'000; ++turns) {
        are_over = true;
        for (RankInProcess* rank : ranks)
            are_over = rank->streams.serve_pairs(in_place).all_are_over && are_over;
    }
    return turns;
}

} // namespace

TEST_CASE("a block of many slots comes whole, and each side waits for the other alone", "[node_streams]") {
    NodeInProcess node(3, std::size_t{1} << 20);
    auto first = some_bytes(3'000'000, 1), second = some_bytes(120'001, 2);
    std::vector<std::byte> to_first(second.size()), to_second(first.size());
    RankInProcess &a = node[0], &b = node[1];
    begin_streams(a, {{.local = 1, .data = first.data(), .bytes = first.size()}});
    begin_streams(b, {{.local = 0, .data = second.data(), .bytes = second.size()}});
    node[2].enter_empty_epoch();
    CHECK(a.epochs.notice(0).slices[1].bytes == section::Slice::stream);
    CHECK(a.epochs.notice(0).places[1].bytes == first.size());
    CHECK(a.epochs.notice(0).places[1].slots > 1);
    CHECK(a.streams.has_stream_to(1));
    CHECK_FALSE(a.streams.has_stream_to(2));
    CHECK(a.streams.serve_pairs(false).some); // fills all slots
    CHECK_FALSE(a.streams.serve_pairs(false).some);
    meet_stream(a, 1, to_first);
    meet_stream(b, 0, to_second);
    CHECK(serve_in_turn({&a, &b}) > 2);
    CHECK(to_second == first);
    CHECK(to_first == second);
    CHECK(a.slots.are_emptied());
}

TEST_CASE("slots lie where no bytes of this epoch or the last one are", "[node_streams]") {
    NodeInProcess node(3);
    RankInProcess& rank = node[0];
    auto block = some_bytes(200'000, 1);
    const section::Notice last = rank.epochs.next();
    const std::size_t before = rank.room.ring_place(5000);
    rank.epochs.enter(last);
    const section::Notice own = rank.epochs.next();
    const std::size_t now = rank.room.ring_place(5000);
    for (const int to : {1, 2}) rank.streams.send({.local = to, .data = block.data(), .bytes = block.size()});
    rank.streams.lay_out(own, false);
    std::size_t end = 0;
    for (const Stream& stream : rank.streams.out()) {
        const std::size_t end_of_slots = stream.begin + stream.slots * stream.slot_bytes;
        CHECK(stream.begin >= std::max(end, node.layout.ring_begin));
        CHECK(end_of_slots <= node.layout.ring_begin + node.layout.ring_bytes);
        for (const std::size_t place : {before, now})
            CHECK((place >= end_of_slots || place + 5000 <= stream.begin));
        end = end_of_slots;
    }
}

TEST_CASE("what a place has no room for is lost, and its writer does not wait", "[node_streams]") {
    NodeInProcess node(2);
    auto block = some_bytes(100'000, 1);
    constexpr std::size_t room = 777;
    std::vector<std::byte> place(2 * room);
    begin_streams(node[0], {{.local = 1, .data = block.data(), .bytes = block.size()}});
    begin_streams(node[1], {});
    meet_stream(node[1], 0, std::span(place).first(room));
    CHECK(serve_in_turn({&node[0], &node[1]}) < 10'000);
    CHECK(std::equal(place.begin(), place.begin() + room, block.begin()));
    CHECK(std::all_of(place.begin() + room, place.end(), [](std::byte byte) { return byte == std::byte{}; }));
}

TEST_CASE("in place a block arrives only where the own one has left", "[node_streams]") {
    NodeInProcess node(2);
    const auto first = some_bytes(150'000, 1), second = some_bytes(150'000, 2);
    auto in_first = first, in_second = second;
    begin_streams(node[0], {{.local = 1, .data = in_first.data(), .bytes = in_first.size()}}, true);
    begin_streams(node[1], {{.local = 0, .data = in_second.data(), .bytes = in_second.size()}}, true);
    meet_stream(node[0], 1, in_first);
    meet_stream(node[1], 0, in_second);
    CHECK(serve_in_turn({&node[1], &node[0]}, true) < 10'000);
    CHECK(in_first == second);
    CHECK(in_second == first);
}

TEST_CASE("an offered block goes to its reader without a slot", "[node_streams]") {
    NodeInProcess node(2);
    node.let_read();
    auto block = some_bytes(NodeOffers::least_offered_bytes * 5, 1);
    std::vector<std::byte> place(block.size());
    begin_streams(node[0], {{.local = 1, .data = block.data(), .bytes = block.size()}});
    begin_streams(node[1], {});
    meet_stream(node[1], 0, place);
    CHECK(node[1].streams.in().front().is_offered);
    CHECK_FALSE(node[0].streams.serve_pairs(false).some);
    CHECK(serve_in_turn({&node[1], &node[0]}) < 10'000);
    CHECK(place == block);
    const bool could_read = node[0].offers.can_be_read_by(1); // if not, the block went through slots
    CHECK(node[1].offers.read_bytes() == (could_read ? block.size() : 0));
    CHECK(node[0].sections.filled(0, 1).slots.load() ==
          (could_read ? 0 : node[0].streams.out().front().pieces()));
}

TEST_CASE("serving ends where a window breaks, or all streams are over", "[node_streams]") {
    NodeInProcess node(2);
    auto block = some_bytes(100'000, 1);
    std::vector<std::byte> place(block.size());
    RankInProcess &writer = node[0], &reader = node[1];
    begin_streams(writer, {{.local = 1, .data = block.data(), .bytes = block.size()}});
    begin_streams(reader, {});
    meet_stream(reader, 0, place);
    const auto pairs = [](RankInProcess& rank) { return [&] { return rank.streams.serve_pairs(false); }; };
    at_probe = [&] { (void)reader.streams.serve_pairs(false); };
    CHECK(writer.streams.serve(pairs(writer)).ok());
    at_probe = {};
    CHECK(reader.streams.serve(pairs(reader)).ok());
    CHECK(place == block);
    begin_streams(writer, {{.local = 1, .data = block.data(), .bytes = block.size()}});
    writer.epochs.break_off();
    CHECK_FALSE(writer.streams.serve(pairs(writer)).ok());
}

TEST_CASE("a rank begins no epoch before its slots are empty", "[node_streams]") {
    NodeInProcess node(2);
    auto block = some_bytes(20'000, 1);
    std::vector<std::byte> place(block.size());
    RankInProcess &writer = node[0], &reader = node[1];
    writer.streams.end_last(); // there was no exchange
    begin_streams(writer, {{.local = 1, .data = block.data(), .bytes = block.size()}});
    begin_streams(reader, {});
    while (writer.streams.serve_pairs(false).some) {
    }
    bool has_read = false;
    at_probe = [&] {
        meet_stream(reader, 0, place);
        while (!reader.streams.serve_pairs(false).all_are_over) (void)writer.streams.serve_pairs(false);
        has_read = true;
        at_probe = {};
    };
    writer.streams.end_last();
    CHECK(has_read);
    CHECK(place == block);
    at_probe = {};
}

TEST_CASE("where ranks crowd the cores, a large block does not take the ring from the others",
          "[node_streams]") {
    NodeInProcess crowd(5, std::size_t{1} << 18, 2), few(4, std::size_t{1} << 18, 2);
    const std::size_t large = crowd.layout.capacity;
    CHECK(crowd[0].streams.is_for_slots(large));
    CHECK_FALSE(crowd[0].streams.is_for_slots(Stream::most_slot_bytes - 1));
    CHECK_FALSE(few[0].streams.is_for_slots(large));
}
