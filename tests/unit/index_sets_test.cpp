// The index sets of the exchange in place: random blocks over one buffer, and random steps. After each step
// the sets are compared with a plain list of all bytes.
#include "algorithms/alltoallv/in_place/auxiliary_buffers.hpp"
#include "algorithms/alltoallv/in_place/index_sets.hpp"
#include "algorithms/alltoallv/in_place_scratch.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace switchyard::algorithms;
using namespace switchyard::algorithms::alltoallv;

namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) {
    return random() % limit;
}

// Offsets of blocks of those sizes, in any order, with gaps where `gap` is not zero.
std::vector<std::size_t> laid_out(Random& random, const std::vector<std::size_t>& sizes, std::size_t begin,
                                  std::size_t gap) {
    std::vector<std::size_t> order(sizes.size()), offsets(sizes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
        begin += below(random, gap + 1);
        offsets[i] = begin;
        begin += sizes[i];
    }
    return offsets;
}

// The sets of one rank with their memory, and the same as plain bytes.
struct RankSets {
    RankSets(Random& random, std::size_t ranks_, std::size_t most, std::size_t gap, std::size_t subset_count)
        : ranks(ranks_), sends(ranks), receives(ranks), subsets(subset_count),
          order(IndexSets::order_entries(ranks)), messages(ranks), sets(sends, receives, subsets, order) {
        std::vector<std::size_t> send_sizes(ranks), recv_sizes(ranks);
        for (std::size_t i = 0; i < ranks; ++i) {
            send_sizes[i] = below(random, most + 1);
            recv_sizes[i] = below(random, most + 1);
        }
        send_sizes[0] = recv_sizes[0]; // the own block
        const auto send_at = laid_out(random, send_sizes, below(random, 2 * most), gap);
        const auto recv_at = laid_out(random, recv_sizes, below(random, 2 * most), gap);
        buffer.resize(4 * most + ranks * (most + gap + 1));
        for (std::byte& byte : buffer) byte = static_cast<std::byte>(below(random, 256));
        may_change.resize(buffer.size());
        for (std::size_t i = 0; i < ranks; ++i) {
            sends[i].whole = {buffer.data() + send_at[i], send_sizes[i]};
            receives[i].places = {buffer.data() + recv_at[i], recv_sizes[i]};
            messages[i].assign(sends[i].whole.begin, sends[i].whole.end());
            std::fill_n(may_change.begin() + static_cast<std::ptrdiff_t>(recv_at[i]), recv_sizes[i], true);
        }
        before = buffer;
        REQUIRE(sets.split());
    }

    template <typename Visit>
    void for_each_subset(Visit&& visit) const {
        for (std::size_t i = 0; i < ranks; ++i) {
            for (int k = sends[i].first; k != no_set; k = subsets[static_cast<std::size_t>(k)].after) {
                visit(i, subsets[static_cast<std::size_t>(k)]);
            }
        }
    }

    // The bytes of the buffer that are still to be sent. No byte is in two subsets.
    std::vector<bool> pending() const {
        std::vector<bool> bytes(buffer.size());
        for_each_subset([&](std::size_t, const SendSubset& subset) {
            for (const std::byte* byte = subset.interval.begin; byte < subset.interval.end(); ++byte) {
                const auto i = static_cast<std::size_t>(byte - buffer.data());
                REQUIRE_FALSE(bytes[i]);
                bytes[i] = true;
            }
        });
        return bytes;
    }

    void check() const {
        std::vector<std::vector<std::byte>> left(ranks);
        for_each_subset([&](std::size_t destination, const SendSubset& subset) {
            left[destination].insert(left[destination].end(), subset.interval.begin, subset.interval.end());
            REQUIRE(subset.interval.size > 0);
            for (std::size_t j = 0; j < ranks; ++j) { // wholly in its rmatch, and in no other receive set
                const Interval& places = receives[j].places;
                const bool inside =
                    places.begin <= subset.interval.begin && subset.interval.end() <= places.end();
                const bool outside =
                    subset.interval.end() <= places.begin || places.end() <= subset.interval.begin;
                REQUIRE((inside || outside || places.size == 0));
                REQUIRE((static_cast<int>(j) == subset.rmatch) == (inside && places.size > 0));
            }
        });
        const auto occupied = pending();
        for (std::size_t i = 0; i < ranks; ++i) {
            REQUIRE(left[i] == messages[i]);
            REQUIRE(sets.left_to_send(static_cast<int>(i)) == messages[i].size());
            std::size_t free = 0;
            while (free < receives[i].places.size && !occupied[index(i) + free]) ++free;
            REQUIRE(sets.free_space(static_cast<int>(i)) == free);
        }
        for (std::size_t i = 0; i < buffer.size(); ++i) {
            REQUIRE((may_change[i] || buffer[i] == before[i]));
        }
    }

    std::size_t index(std::size_t source) const {
        return static_cast<std::size_t>(receives[source].places.begin - buffer.data());
    }
    std::size_t pending_in(std::size_t source) const {
        const auto occupied = pending();
        const auto begin = occupied.begin() + static_cast<std::ptrdiff_t>(index(source));
        return static_cast<std::size_t>(
            std::count(begin, begin + static_cast<std::ptrdiff_t>(receives[source].places.size), true));
    }

    void send(std::size_t destination, std::size_t bytes) {
        std::vector<std::byte> sent;
        sets.take_first(static_cast<int>(destination), bytes, [&](Interval taken) {
            REQUIRE(taken.size > 0);
            sent.insert(sent.end(), taken.begin, taken.end());
        });
        auto& message = messages[destination];
        const auto end = message.begin() + static_cast<std::ptrdiff_t>(bytes);
        REQUIRE(std::equal(sent.begin(), sent.end(), message.begin(), end));
        message.erase(message.begin(), end);
    }

    void receive(std::size_t source, std::size_t bytes) {
        std::fill_n(receives[source].places.begin, bytes, std::byte{0xee});
        sets.fill_lowest(static_cast<int>(source), bytes);
    }

    void join(std::size_t source) {
        sets.join(static_cast<int>(source));
        const std::size_t free = sets.free_space(static_cast<int>(source));
        REQUIRE(free == receives[source].places.size - pending_in(source));
    }

    // The own block goes to the end of its places. The other places are free then.
    void settle() {
        const auto message = messages[0];
        const std::byte* end = receives[0].places.end();
        if (receives[0].places.size < message.size() || !sets.settle(0)) return;
        REQUIRE(std::equal(message.begin(), message.end(), end - message.size()));
        REQUIRE(receives[0].places.end() == end - message.size());
        messages[0].clear();
    }

    std::size_t ranks;
    std::vector<std::byte> buffer, before;
    std::vector<bool> may_change; // it lies in a receive block
    std::vector<SendSet> sends;
    std::vector<ReceiveSet> receives;
    std::vector<SendSubset> subsets;
    std::vector<int> order;
    std::vector<std::vector<std::byte>> messages; // bytes still to be sent
    IndexSets sets;
};

} // namespace

TEST_CASE("index sets agree with a list of all bytes after every send, receive and join") {
    Random random(7);
    for (int repetition = 0; repetition < 400; ++repetition) {
        const std::size_t ranks = 1 + below(random, 6);
        const std::size_t most = 1 + below(random, repetition % 2 == 0 ? 6 : 40);
        const std::size_t gap = repetition % 3 == 0 ? 0 : below(random, 5);
        // Without a spare subset join() moves intervals that it otherwise cuts.
        const std::size_t split = 3 * ranks;
        const std::size_t count = repetition % 4 == 0 ? split : IndexSets::most_subsets(ranks);
        RankSets rank(random, ranks, most, gap, count);
        REQUIRE(static_cast<std::size_t>(rank.sets.unused_subsets()) >= count - split);
        rank.check();
        for (int step = 0; step < 40; ++step) {
            const std::size_t peer = below(random, ranks);
            switch (below(random, 4)) {
            case 0: rank.send(peer, below(random, rank.messages[peer].size() + 1)); break;
            case 1:
                rank.receive(peer, below(random, rank.sets.free_space(static_cast<int>(peer)) + 1));
                break;
            case 2: rank.join(peer); break;
            default: rank.settle(); break;
            }
            rank.check();
        }
        for (std::size_t peer = 0; peer < ranks; ++peer) rank.send(peer, rank.messages[peer].size());
        rank.check();
        REQUIRE(static_cast<std::size_t>(rank.sets.unused_subsets()) == count);
    }
}

TEST_CASE("send sets are split at the borders of receive sets, and nowhere else") {
    std::vector<std::byte> buffer(100);
    std::vector<SendSet> sends(3);
    std::vector<ReceiveSet> receives(3);
    std::vector<SendSubset> subsets(IndexSets::most_subsets(3));
    std::vector<int> order(IndexSets::order_entries(3));
    const auto at = [&](std::size_t begin, std::size_t end) {
        return Interval{buffer.data() + begin, end - begin};
    };
    sends[2].whole = at(0, 50);
    sends[0].whole = at(60, 70);
    receives[1].places = at(10, 20);
    receives[0].places = at(20, 65);
    receives[2].places = at(70, 90);
    IndexSets sets(sends, receives, subsets, order);
    REQUIRE(sets.split());
    std::vector<std::string> found;
    for (const int i : {0, 2}) {
        for (int k = sends[static_cast<std::size_t>(i)].first; k != no_set;
             k = subsets[static_cast<std::size_t>(k)].after) {
            const SendSubset& subset = subsets[static_cast<std::size_t>(k)];
            found.push_back(std::to_string(i) + ": " + std::to_string(subset.interval.begin - buffer.data()) +
                            " to " + std::to_string(subset.interval.end() - buffer.data()) + " in " +
                            std::to_string(subset.rmatch));
        }
    }
    CHECK(found == std::vector<std::string>{"0: 60 to 65 in 0", "0: 65 to 70 in -1", "2: 0 to 10 in -1",
                                            "2: 10 to 20 in 1", "2: 20 to 50 in 0"});
    CHECK(sets.left_to_send(1) == 0);
    CHECK(sets.free_space(1) == 0);
    CHECK(sets.free_space(0) == 0);
    CHECK(sets.free_space(2) == 20);
    sets.join(0); // 20 to 50 and 60 to 65 move to the end: ten bytes are free
    CHECK(sets.free_space(0) == 10);
}

TEST_CASE("send blocks may share bytes, but not where data is received") {
    std::vector<std::byte> buffer(100);
    std::vector<SendSet> sends(2);
    std::vector<ReceiveSet> receives(2);
    std::vector<SendSubset> subsets(IndexSets::most_subsets(2));
    std::vector<int> order(IndexSets::order_entries(2));
    IndexSets sets(sends, receives, subsets, order);
    sends[0].whole = {buffer.data(), 50};
    sends[1].whole = {buffer.data() + 40, 20};
    receives[0].places = {buffer.data() + 60, 40};
    CHECK(sets.split());
    receives[0].places = {buffer.data() + 45, 50};
    CHECK_FALSE(sets.split());
}

TEST_CASE("an auxiliary buffer serves one source until it is empty, in order") {
    std::vector<AuxiliaryBuffer> states(2);
    std::vector<std::byte> memory(2 * 5);
    AuxiliaryBuffers buffers(states, memory.data(), 5);
    CHECK(buffers.room(0) == 5);
    CHECK(buffers.append(0, 0) == nullptr);
    CHECK(buffers.room(2) == 5); // no byte waits: for the first source to come
    const auto put = [&](int source, const std::string& text) {
        std::byte* place = buffers.append(source, text.size());
        std::memcpy(place, text.data(), text.size());
    };
    const auto take = [&](int source, std::size_t bytes) {
        std::string text(bytes, ' ');
        buffers.empty_into(reinterpret_cast<std::byte*>(text.data()), source, bytes);
        return text;
    };
    put(2, "abc");
    CHECK(buffers.room(0) == 0);
    CHECK(buffers.waiting(0) == 0);
    CHECK(buffers.room(2) == 2);
    CHECK(buffers.waiting(2) == 3);
    CHECK(buffers.room(1) == 5); // the other buffer
    CHECK(take(2, 2) == "ab");
    put(2, "defg");
    CHECK(buffers.room(2) == 0);
    CHECK(take(2, 0).empty());
    CHECK(take(2, 5) == "cdefg");
    CHECK(buffers.waiting(2) == 0);
    put(4, "x");
    CHECK(buffers.room(2) == 0);
    CHECK(take(4, 1) == "x");
}

TEST_CASE("the workspace of in_place depends only on the ranks and the auxiliary memory") {
    Parameters parameters;
    parameters[Parameter::auxiliary_bytes] = 1000;
    parameters[Parameter::buffers] = 3;
    CHECK(in_place_layout(8, parameters).buffers == 3);
    CHECK(in_place_layout(8, parameters).buffer_bytes == 333);
    CHECK(in_place_layout(2, parameters).buffers == 2); // at most one buffer for each source
    CHECK(in_place_layout(1, parameters).buffer_bytes == 0);
    CHECK(in_place_scratch_bytes(8, 0, parameters) == in_place_scratch_bytes(8, 1 << 30, parameters));
    const auto by_messages = in_place_scratch_bytes(8, 0, parameters);
    parameters[Parameter::requests] = static_cast<std::int64_t>(Requests::alltoallv);
    CHECK(in_place_layout(8, parameters).numbers == 16); // counts and displacements
    CHECK(in_place_scratch_bytes(8, 0, parameters) == by_messages + Workspace::rounded(16 * sizeof(int)));
    parameters[Parameter::auxiliary_bytes] = 2;
    CHECK(in_place_layout(8, parameters).buffers == 2); // each buffer has at least one byte
    CHECK(in_place_layout(8, parameters).buffer_bytes == 1);
    parameters[Parameter::auxiliary_bytes] = std::int64_t{1} << 50;
    CHECK(in_place_scratch_bytes(1 << 20, 0, parameters) > std::size_t{1} << 49);
}

TEST_CASE("many ranks exchange requests in one call of the MPI") {
    Parameters parameters; // by_ranks
    CHECK(in_place_requests(1, parameters) == Requests::messages);
    CHECK(in_place_requests(1023, parameters) == Requests::messages);
    CHECK(in_place_requests(1024, parameters) == Requests::alltoall);
    parameters[Parameter::requests] = static_cast<std::int64_t>(Requests::alltoallv);
    CHECK(in_place_requests(2, parameters) == Requests::alltoallv);
    CHECK(in_place_requests(1, parameters) == Requests::messages);
    parameters[Parameter::requests] = static_cast<std::int64_t>(Requests::messages);
    CHECK(in_place_requests(4096, parameters) == Requests::messages);
}

TEST_CASE("a request keeps its number beside its marks") {
    Request request(77, true);
    CHECK((request.bytes() == 77 && request.is_last() && !request.needs_another_phase()));
    request.mark_another_phase();
    CHECK((request.bytes() == 77 && request.is_last() && request.needs_another_phase()));
    CHECK((!Request(0, false).is_last() && Request(0, false).bytes() == 0));
}
