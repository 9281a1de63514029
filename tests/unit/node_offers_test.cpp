// Blocks that their reader takes from the writer's own memory.
#include "node_in_process.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <chrono>

using namespace switchyard::algorithms;
using switchyard::tests::NodeInProcess;
using switchyard::tests::proof_of_process;
using switchyard::tests::RankInProcess;
using switchyard::tests::some_bytes;

namespace {

constexpr std::size_t piece_bytes = 4096;

// Both ends of a stream between two ranks.
struct StreamPair {
    NodeInProcess node{2};
    RankInProcess &writer = node[0], &reader = node[1];
    std::vector<std::byte> block, place;
    Stream out, in;

    explicit StreamPair(std::size_t bytes, bool in_place = false)
        : block(some_bytes(bytes, 1)), place(bytes) {
        node.let_read();
        out = {.local = 1, .data = block.data(), .bytes = bytes, .slot_bytes = piece_bytes, .slots = 4};
        writer.offers.begin(out, in_place);
        in = out;
        in.local = 0;
        in.data = place.data();
        in.room = bytes;
    }
    // Copies as process_vm_readv would.
    auto copying() {
        return [this](std::size_t begin, std::size_t bytes) {
            std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(begin), bytes,
                        place.begin() + static_cast<std::ptrdiff_t>(begin));
            return true;
        };
    }
};

} // namespace

TEST_CASE("a large block is offered while the ring is cold", "[node_offers]") {
    constexpr std::size_t large = NodeOffers::least_offered_bytes;
    NodeInProcess node(2);
    NodeOffers& offers = node[0].offers;
    CHECK_FALSE(offers.is_for_reading(large)); // without a proof
    offers.show_proof(&proof_of_process);
    CHECK_FALSE(offers.is_for_reading(large)); // all pages are there
    offers.offer_always(true);
    CHECK(offers.is_for_reading(large));
    CHECK_FALSE(offers.is_for_reading(large - 1));
    CHECK(offers.is_for_reading_by_all(large));
    node[1].offers.refuse(0);
    CHECK_FALSE(offers.can_be_read_by(1));
    CHECK_FALSE(offers.is_for_reading_by_all(large));
    CHECK(node[1].offers.can_be_read_by(0)); // in the other direction
}

TEST_CASE("on shared cores, a block that the epoch has no room for is offered", "[node_offers]") {
    constexpr std::size_t section_bytes = std::size_t{1} << 20;
    const int cores = GENERATE(1, 2);
    NodeInProcess node(2, section_bytes, cores);
    NodeOffers& offers = node[0].offers;
    offers.show_proof(&proof_of_process);
    const std::size_t room = node.layout.capacity;
    REQUIRE(room > NodeOffers::least_offered_on_shared_cores);
    CHECK_FALSE(offers.is_for_reading(room));
    CHECK(offers.is_for_reading(room + 1) == (cores == 1));
    CHECK_FALSE(offers.is_for_reading_by_all(room + 1)); // all ranks read a slot at once
}

TEST_CASE("on shared cores only larger blocks are offered", "[node_offers]") {
    const int cores = GENERATE(1, 2);
    NodeInProcess node(2, std::size_t{1} << 16, cores); // no epoch has room for such a block
    NodeOffers& offers = node[0].offers;
    offers.show_proof(&proof_of_process);
    CHECK_FALSE(offers.is_for_reading(NodeOffers::least_offered_on_shared_cores - 1));
    CHECK(offers.is_for_reading(NodeOffers::least_offered_on_shared_cores) == (cores == 1));
}

TEST_CASE("the times of the first rank's copies decide for all ranks", "[node_offers]") {
    using namespace std::chrono_literals;
    using Copy = NodeRates::Copy;
    constexpr std::size_t large = 2 * NodeOffers::least_offered_bytes;
    NodeInProcess node(2);
    for (const int rank : {0, 1}) node[rank].offers.show_proof(&proof_of_process);
    const auto copy_slowly = [&](int rank, Copy slow) {
        for (int i = 0; i < 20; ++i)
            for (const Copy copy : {Copy::in, Copy::out, Copy::across})
                node[rank].offers.rates().note(copy, large, large, copy == slow ? 100us : 10us);
    };
    copy_slowly(1, Copy::out);
    CHECK_FALSE(node[1].offers.is_for_reading(large)); // rank 0 has no times yet
    copy_slowly(0, Copy::out);
    CHECK(node[0].offers.is_for_reading(large));
    CHECK(node[1].offers.is_for_reading(large));
    CHECK(node[0].offers.is_for_reading_by_all(large));
    CHECK_FALSE(node[1].offers.is_for_reading(2 * large)); // no times of this size
    for (int i = 0; i < 10; ++i) copy_slowly(0, Copy::across);
    CHECK_FALSE(node[0].offers.is_for_reading(large));
    CHECK_FALSE(node[1].offers.is_for_reading(large));
}

TEST_CASE("copies of large blocks are timed, where they may be offered", "[node_offers]") {
    constexpr std::size_t least = NodeOffers::least_offered_bytes;
    NodeInProcess node(2);
    NodeOffers& offers = node[0].offers;
    int copies = 0;
    const auto copy = [&](std::size_t block) {
        for (int i = 0; i < 20; ++i)
            for (const auto each : {NodeRates::Copy::in, NodeRates::Copy::out, NodeRates::Copy::across})
                offers.timed(each, block, block, [&] { ++copies; });
    };
    copy(least);
    CHECK(offers.rates().listens(least, 1)); // nobody may read this rank's memory
    offers.show_proof(&proof_of_process);
    copy(least - 1);
    CHECK(offers.rates().listens(least, 1));
    copy(least);
    CHECK_FALSE(offers.rates().listens(least, 1));
    CHECK(copies == 180);
}

TEST_CASE("a stream without a proof cannot be read", "[node_offers]") {
    NodeInProcess node(2);
    auto block = some_bytes(200'000, 1);
    Stream stream{.local = 1, .data = block.data(), .bytes = block.size(), .slot_bytes = piece_bytes};
    node[0].offers.begin(stream, false);
    CHECK(stream.from == 0);
    CHECK_FALSE(stream.is_offered);
    CHECK_FALSE(node[0].offers.is_read_to_end(stream));
}

TEST_CASE("a reader takes an offered block, and its writer sees the end", "[node_offers]") {
    const std::size_t most = NodeOffers::most_read_bytes, bytes = 3 * most + 1000;
    StreamPair pair(bytes);
    CHECK(pair.out.is_offered);
    CHECK(pair.writer.offers.is_left_to_reader(pair.out));
    int reads = 0;
    for (std::size_t before = 0; pair.reader.offers.read(pair.in, pair.copying()); before = pair.in.done) {
        CHECK(pair.in.done - before <= most);
        CHECK(pair.in.done > before);
        CHECK(pair.writer.offers.is_read_to_end(pair.out) == pair.in.is_over());
        ++reads;
    }
    CHECK(reads == 4);
    CHECK(pair.in.is_over());
    CHECK(pair.place == pair.block);
    CHECK(pair.reader.offers.read_bytes() == bytes);
}

TEST_CASE("nobody reads a block that goes through slots, as all do in place", "[node_offers]") {
    StreamPair pair(200'000, true);
    CHECK_FALSE(pair.out.is_offered);
    CHECK(pair.out.from == 0);
    CHECK_FALSE(pair.writer.offers.is_left_to_reader(pair.out));
    CHECK_FALSE(pair.reader.offers.read(pair.in, pair.copying()));
    CHECK_FALSE(pair.writer.offers.is_read_to_end(pair.out));
}

TEST_CASE("bytes for all are offered where a block of their size would not be", "[node_offers]") {
    NodeInProcess node(2);
    auto bytes = some_bytes(1000, 1);
    node[0].offers.show_proof(&proof_of_process);
    Stream stream{.local = 1, .data = bytes.data(), .bytes = bytes.size(), .slot_bytes = piece_bytes};
    Stream for_all = stream;
    for_all.is_offered = true;
    node[0].offers.begin(stream, false);
    node[0].offers.begin(for_all, false);
    CHECK_FALSE(stream.is_offered);
    CHECK(for_all.is_offered);
    CHECK(for_all.from == reinterpret_cast<std::uintptr_t>(bytes.data()));
}

TEST_CASE("a block that could be read only in part comes through slots from its beginning", "[node_offers]") {
    StreamPair pair(2 * NodeOffers::most_read_bytes);
    CHECK(pair.reader.offers.read(pair.in, pair.copying()));
    CHECK(pair.in.done == NodeOffers::most_read_bytes);
    CHECK_FALSE(pair.reader.offers.read(pair.in, [](std::size_t, std::size_t) { return false; }));
    CHECK(pair.in.done == 0);
    CHECK_FALSE(pair.writer.offers.is_left_to_reader(pair.out));
    CHECK_FALSE(pair.writer.offers.is_read_to_end(pair.out));
}

TEST_CASE("a reader that cannot read refuses, once for all", "[node_offers]") {
    StreamPair pair(200'000);
    int tries = 0;
    const auto fail = [&](std::size_t, std::size_t) { return ++tries, false; };
    CHECK_FALSE(pair.reader.offers.read(pair.in, fail));
    CHECK_FALSE(pair.reader.offers.read(pair.in, fail));
    CHECK(tries == 1);
    CHECK_FALSE(pair.writer.offers.can_be_read_by(1));
    CHECK_FALSE(pair.writer.offers.is_left_to_reader(pair.out));
    CHECK_FALSE(pair.writer.offers.is_read_to_end(pair.out));
    CHECK(pair.reader.offers.read_bytes() == 0);
    Stream next = pair.out;
    pair.writer.offers.begin(next, false);
    CHECK_FALSE(next.is_offered);
}

TEST_CASE("who reads what was withdrawn is in a broken window", "[node_offers]") {
    StreamPair pair(200'000);
    const std::vector<Stream> streams{pair.out};
    pair.writer.offers.withdraw(streams);
    (void)pair.reader.offers.read(pair.in, pair.copying());
    CHECK(pair.reader.epochs.is_broken());
    CHECK_FALSE(pair.writer.epochs.is_broken());
    CHECK_FALSE(pair.reader.offers.read(pair.in, pair.copying()));
}

TEST_CASE("a process reads its own memory by CMA, where the system allows it", "[node_offers]") {
    StreamPair pair(300'000);
    std::byte byte{};
    const auto address = reinterpret_cast<std::uintptr_t>(pair.block.data());
    const bool is_allowed = NeighbourMemory(getpid(), proof_of_process)
                                .read(&byte, address, 1, reinterpret_cast<std::uintptr_t>(&proof_of_process));
    CHECK(pair.reader.offers.read(pair.in) == is_allowed);
    if (!is_allowed) return;
    CHECK(pair.place == pair.block);
    CHECK(pair.writer.offers.is_read_to_end(pair.out));
}
