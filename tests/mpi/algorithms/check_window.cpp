#include "check_window.hpp"

#include "algorithms/transport/memory/neighbour_memory.hpp"
#include "algorithms/transport/memory/node_blocks.hpp"
#include "algorithms/transport/memory/node_window.hpp"
#include "algorithms/transport/messages/simulation.hpp"

#include <algorithm>
#include <array>
#include <unistd.h>

namespace switchyard::tests {

using namespace algorithms;

namespace {

// Blocks larger than the window.
void exchange_large_blocks(Test& test, NodeWindow& window) {
    constexpr std::size_t bytes = NodeOffers::least_offered_on_shared_cores;
    const auto ranks = static_cast<std::size_t>(test.group.size);
    std::vector<std::byte> sent(ranks * bytes), received(ranks * bytes);
    for (int turn = 0; turn < 10; ++turn) {
        const auto value = [turn](int source, std::size_t at) {
            return static_cast<std::byte>(static_cast<std::size_t>(turn + source * 31) + at / 7);
        };
        for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = value(test.group.rank, i);
        const auto status =
            window.exchange(EqualBlocks{reinterpret_cast<std::uintptr_t>(sent.data()), bytes},
                            EqualBlocks{reinterpret_cast<std::uintptr_t>(received.data()), bytes}, false);
        test.failures.check(status.ok(), "an error");
        bool right = true;
        for (std::size_t i = 0; i < received.size(); ++i)
            right =
                right && received[i] == value(static_cast<int>(i / bytes),
                                              static_cast<std::size_t>(test.group.rank) * bytes + i % bytes);
        test.failures.check(right, "wrong bytes by streams");
    }
}

void check_streams_read_by_cma(Test& test) {
    exchange_large_blocks(test, *test.window());
    std::uint64_t read = test.window()->cma_bytes();
    PMPI_Allreduce(MPI_IN_PLACE, &read, 1, MPI_UINT64_T, MPI_SUM, test.oracle);
    test.failures.check(read > 0, "no block was read by CMA");
}

// The last rank calls only after rank 0 has returned. It has nothing for rank 0, and with `is_expected`
// something for rank 1, which must take rank 0's block without it. Who waited for the last rank would hang.
void check_waits_for_senders_alone(Test& test, NodeWindow& window, std::size_t items, bool is_expected) {
    const int self = test.group.rank, last = test.group.size - 1;
    const auto ranks = static_cast<std::size_t>(test.group.size);
    std::vector<int> sends(ranks), receives(ranks), places(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) places[rank] = static_cast<int>(rank * items);
    const int other = self == 0 ? 1 : 0;
    if (self <= 1)
        sends[static_cast<std::size_t>(other)] = receives[static_cast<std::size_t>(other)] =
            static_cast<int>(items);
    if (is_expected && self == 1) receives.back() = 1;
    if (is_expected && self == last) sends[1] = 1;
    for (int turn = 0; turn < 3; ++turn) {
        std::vector<int> sent(ranks * items, 10 * turn + self), received(ranks * items, -1),
            expected = received;
        const auto expect = [&](int source) {
            const auto rank = static_cast<std::size_t>(source);
            std::fill_n(expected.begin() + places[rank], receives[rank], 10 * turn + source);
        };
        for (int source = 0; source <= last; ++source) expect(source);
        const auto side = [&](std::vector<int>& blocks, const std::vector<int>& counts) {
            return CountedBlocks{reinterpret_cast<std::uintptr_t>(blocks.data()), counts.data(),
                                 places.data(), sizeof(int)};
        };
        if (self == last) PMPI_Recv(nullptr, 0, MPI_INT, 0, turn, test.oracle, MPI_STATUS_IGNORE);
        test.failures.check(window.exchange(side(sent, sends), side(received, receives), false).ok(),
                            "an error");
        if (self == 0) PMPI_Send(nullptr, 0, MPI_INT, last, turn, test.oracle);
        test.failures.check(received == expected, "wrong items");
    }
}

} // namespace

void check_waits_for_senders_alone(Test& test) {
    for (std::size_t map = 0; map < test.maps.size(); ++map) {
        test.take_map(map, 0);
        NamedMap& named = test.maps[map];
        if (named.map.nodes() > 1 || !named.window || simulation::is_on) continue;
        for (const std::size_t items : {1UL, 16384UL, 300000UL})
            for (const bool is_expected : {false, true}) {
                test.failures.set_place(named.name + ", waits for senders alone, " + std::to_string(items) +
                                        (is_expected ? " items, one expected" : " items"));
                check_waits_for_senders_alone(test, *named.window, items, is_expected);
            }
    }
}

void check_sent_in_vain(Test& test) {
    for (std::size_t map = 0; map < test.maps.size(); ++map) {
        test.take_map(map, 0);
        NamedMap& named = test.maps[map];
        if (named.map.nodes() > 1 || !named.window || simulation::is_on) continue;
        test.failures.set_place(named.name + ", sent in vain");
        const auto ranks = static_cast<std::size_t>(test.group.size);
        for (const int bytes : {8, 20000, 70000}) {
            std::vector<std::byte> sent(static_cast<std::size_t>(bytes)), nothing(1);
            std::vector<int> counts(ranks), none(ranks), places(ranks);
            if (test.group.rank == 0) counts[1] = bytes;
            (void)named.window->exchange(
                CountedBlocks{reinterpret_cast<std::uintptr_t>(sent.data()), counts.data(), places.data(), 1},
                CountedBlocks{reinterpret_cast<std::uintptr_t>(nothing.data()), none.data(), places.data(),
                              1},
                false);
            test.failures.check(nothing.front() == std::byte{0}, "bytes that nobody expects");
            exchange_large_blocks(test, *named.window);
        }
    }
}

void check_reading_by_cma(Test& test) {
    struct Own {
        std::uint64_t proof;
        std::array<std::byte, 1000> data;
    };
    Own own;
    own.proof = static_cast<std::uint64_t>(test.group.rank) + 1;
    own.data.fill(static_cast<std::byte>(test.group.rank));
    struct Place {
        std::uint64_t proof, data;
        std::int64_t process;
    };
    const Place place{reinterpret_cast<std::uint64_t>(&own.proof),
                      reinterpret_cast<std::uint64_t>(own.data.data()), getpid()};
    std::vector<Place> places(static_cast<std::size_t>(test.group.size));
    PMPI_Allgather(&place, sizeof place, MPI_BYTE, places.data(), sizeof place, MPI_BYTE, test.oracle);
    test.failures.set_place("reading by CMA");
    const int source = (test.group.rank + 1) % test.group.size;
    const Place& there = places[static_cast<std::size_t>(source)];
    std::array<std::byte, 1002> found{};
    NeighbourMemory neighbour(static_cast<pid_t>(there.process), static_cast<std::uint64_t>(source) + 1);
    if (neighbour.read(&found[1], there.data, own.data.size(), there.proof)) {
        test.failures.check(std::ranges::count(found, static_cast<std::byte>(source)) >= 1000, "wrong bytes");
        test.failures.check(found.front() == std::byte{0} && found.back() == std::byte{0},
                            "bytes beside them");
        test.failures.check(!neighbour.read(&found[1], there.data, 8, there.proof + 8),
                            "another's proof is right");
        test.failures.check(!neighbour.can_be_read(), "a failure is forgotten");
        if (!simulation::is_on && test.group.size > 1) check_streams_read_by_cma(test);
    }
    PMPI_Barrier(test.oracle);
}

} // namespace switchyard::tests
