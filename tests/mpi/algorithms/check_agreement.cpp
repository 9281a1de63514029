#include "check_agreement.hpp"

#include "choices.hpp"
#include "one_exchange.hpp"

#include "algorithms/transport/agree_on_largest.hpp"

#include <algorithm>

namespace switchyard::tests {

using namespace algorithms;

namespace {

// A message in each round, where there is a node so many steps away. No node is met twice.
std::uint64_t agreement_messages(const Group& group) {
    const NodeMap& map = *group.node_map;
    std::vector<int> sizes;
    for (int node = 0; node < map.nodes(); ++node) sizes.push_back(map.size_of(node));
    const int senders = *std::ranges::min_element(sizes), local = map.local_rank(group.rank);
    std::uint64_t messages = 0;
    for (int known = 1; known < map.nodes(); known += senders * known)
        messages += local < senders && known + local * known < map.nodes() ? 1 : 0;
    return messages;
}

// In each turn another rank has the largest number. Of hundreds of simulated ranks some have it with one
// placement on nodes, others with the next.
constexpr int turns_to_simulate = 3;
int step_of_turns(const Test& test) {
    return is_large_simulation(test) ? test.group.size / turns_to_simulate : 1;
}
int first_turn(const Test& test) {
    return is_large_simulation(test) ? static_cast<int>(test.map_index) : 0;
}

} // namespace

void check_agreement(Test& test) {
    test.failures.set_place("agreement, " + test.map_name());
    Wire wire(test.group);
    for (int turn = first_turn(test); turn <= test.group.size; turn += step_of_turns(test)) {
        for (const std::size_t count : {std::size_t{1}, std::size_t{9}}) {
            std::vector<std::uint64_t> numbers, expected(count);
            for (std::size_t i = 0; i < count; ++i)
                numbers.push_back(
                    mixed(static_cast<std::uint64_t>(turn), static_cast<std::uint64_t>(test.group.rank), i) /
                    2);
            if (turn % test.group.size == test.group.rank)
                numbers[0] = UINT64_MAX / 2 - static_cast<unsigned>(turn);
            PMPI_Allreduce(numbers.data(), expected.data(), static_cast<int>(count), MPI_UINT64_T, MPI_MAX,
                           test.oracle);
            wire.reset();
            const auto end = agree_on_largest(numbers, test.group, wire, test.window());
            test.failures.check(end.status.ok(), "status");
            test.failures.check(numbers == expected, "a number is not the largest");
            const bool has_shared = test.window() != nullptr && test.group.node_map->largest() > 1;
            test.failures.check(end.by_mpi == (!has_shared || !test.window()->has_room_for(count)),
                                "the way");
            test.failures.check_equal(wire.traffic().messages,
                                      end.by_mpi ? 0 : agreement_messages(test.group), "messages");
        }
    }
}

void check_exchange_ahead(Test& test) {
    test.take_one_node();
    if (test.window() == nullptr || !agrees_in_window(3, test.group, test.window())) return;
    std::uint64_t turn = 0;
    for (const Case& c : cases_of(test, Collective::alltoallv)) {
        const Sides sides = sides_of(test, Collective::alltoallv, c);
        for (const char* const kind : {"goes on", "does not go on", "one rank takes no part"}) {
            test.failures.set_place(std::string("exchange ahead, ") + c.name + ", " + kind);
            std::vector<std::byte> received = sides.untouched;
            const Exchange exchange{test.group,      sides.sent.data(), sides.send.blocks,
                                    received.data(), sides.recv.blocks, sides.max_block};
            const bool is_odd = ++turn % static_cast<std::uint64_t>(test.group.size) ==
                                static_cast<std::uint64_t>(test.group.rank);
            const bool takes_part = kind[0] != 'o' || !is_odd;
            std::vector<std::uint64_t> numbers(3), expected(3);
            for (std::size_t i = 0; i < numbers.size(); ++i)
                numbers[i] = mixed(turn, static_cast<std::uint64_t>(test.group.rank), i) / 2;
            PMPI_Allreduce(numbers.data(), expected.data(), 3, MPI_UINT64_T, MPI_MAX, test.oracle);
            test.failures.check(test.window()->begin(takes_part ? &exchange : nullptr, numbers).ok(),
                                "status of the begin");
            test.failures.check(numbers == expected, "a number is not the largest");
            test.failures.check(are_same(received, sides.untouched), "a block came too early");
            if (kind[0] != 'g') continue;
            test.failures.check(test.window()->finish(exchange).ok(), "status of the end");
            compare(test, sides, received);
        }
        std::vector<std::byte> received = sides.untouched;
        const Exchange exchange{test.group,      sides.sent.data(), sides.send.blocks,
                                received.data(), sides.recv.blocks, sides.max_block};
        test.failures.check(test.window()->exchange(exchange).ok(), "status of the exchange after it");
        compare(test, sides, received);
    }
}

} // namespace switchyard::tests
